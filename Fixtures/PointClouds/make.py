"""Writes the point-cloud fixtures of this folder with nothing but the standard library.

It is a second implementation of the writers, so that the importers are not only tested against themselves. Run it in
this folder; the files it writes are the ones in the repository.
"""
import struct

POINTS = [(0.5, -1.25, 2.0), (1e-3, 3.5, -0.125), (100.0, 0.0, -7.75), (float("nan"), 1.0, 2.0), (-2.0, 4.0, 8.0)]
COLORS = [(255, 0, 0), (0, 254, 1), (3, 2, 253), (9, 9, 9), (16, 32, 64)]


def text(name, lines, end="\n"):
    with open(name, "w", newline="") as file:
        file.write(end.join(lines) + end)


def ply_ascii():
    header = ["ply", "format ascii 1.0", "comment faces come first", "element face 2",
              "property list uchar int vertex_index", f"element vertex {len(POINTS)}", "property float x",
              "property float y", "property float z", "property uchar red", "property uchar green",
              "property uchar blue", "end_header", "3 0 1 2", "3 0 2 4"]
    text("faces-first.ply", header + [f"{x!r} {y!r} {z!r} {r} {g} {b}" for (x, y, z), (r, g, b) in zip(POINTS, COLORS)],
         end="\r\n")


def ply_big_endian():
    header = ["ply", "format binary_big_endian 1.0", "element camera 1", "property list ushort double matrix",
              "property char flag", f"element vertex {len(POINTS)}", "property double z", "property double y",
              "property short ignored", "property double x", "property int64 id", "end_header"]
    with open("doubles.ply", "wb") as file:
        file.write(("\n".join(header) + "\n").encode())
        file.write(struct.pack(">H3db", 3, 1.0, 2.0, 3.0, -1))
        for index, (x, y, z) in enumerate(POINTS):
            file.write(struct.pack(">ddhdq", z, y, -index, x, 10**12 - index))


def pcd(name, data):
    header = ["# .PCD v0.7 - Point Cloud Data file format", "VERSION 0.7", "FIELDS x y z rgb normal_x normal_y normal_z fpfh",
              "SIZE 4 4 4 4 4 4 4 4", "TYPE F F F F F F F F", "COUNT 1 1 1 1 1 1 1 3", f"WIDTH {len(POINTS)}", "HEIGHT 1",
              "VIEWPOINT 0 0 0 1 0 0 0", f"POINTS {len(POINTS)}", f"DATA {data}"]
    with open(name, "wb") as file:
        file.write(("\n".join(header) + "\n").encode())
        for point, (r, g, b) in zip(POINTS, COLORS):
            packed = struct.unpack("<f", struct.pack("<I", r << 16 | g << 8 | b))[0]
            row = [*point, packed, 0.0, 1.0, 0.0, 7.0, 8.0, 9.0]
            if data == "ascii":
                file.write((" ".join(f"{value!r}" for value in row) + "\n").encode())
            else:
                file.write(struct.pack("<10f", *row))


def colmap():
    tracks = [[], [(1, 2)], [(3, 4), (5, 6)], [], [(7, 8)]]
    lines = ["# 3D point list with one line of data per point:",
             "#   POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)"]
    with open("points3D.bin", "wb") as file:
        file.write(struct.pack("<Q", len(POINTS)))
        for index, (x, y, z) in enumerate(POINTS):
            identifier = 50 - 7 * index
            file.write(struct.pack("<Q3d3BdQ", identifier, x, y, z, *COLORS[index], 0.25, len(tracks[index])))
            for step in tracks[index]:
                file.write(struct.pack("<II", *step))
            track = " ".join(f"{image} {point}" for image, point in tracks[index])
            lines.append(f"{identifier} {x!r} {y!r} {z!r} {' '.join(map(str, COLOURS[index]))} 0.25 {track}".rstrip())
    text("points3D.txt", lines)


def xyz():
    text("titles.csv", ["// exported", "X;Y;Z;R;G;B"] + [
        f"{x!r};{y!r};{z!r};{r};{g};{b}" for (x, y, z), (r, g, b) in zip(POINTS, COLORS)])


ply_ascii()
ply_big_endian()
pcd("features.pcd", "ascii")
pcd("features-binary.pcd", "binary")
colmap()
xyz()
