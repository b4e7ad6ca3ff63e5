#!/usr/bin/env python3
"""Runs Open3D and KISS-Matcher on the scans of `trials`, beside ours: alignment_beside.py TRIALS MODE FIRST LAST [LEVEL...]

TRIALS is the built program (`swift build -c release --product trials`). It writes the clouds of the seeds FIRST to LAST in
all places; then each system has one thread and the same machine, one after the other. Printed are the poses that are right
(5 cm at the scan's middle and 2°) and the processor time of one scan, with its map. Open3D takes 2 to 7 s of processor time a
scan: three seeds are some minutes. A system that has had LIMIT seconds of a level ends with the scan that it is at, and the line
says how many it did. What is not installed is left out (Open3D needs the Debian package libusb-1.0-0):

    python3 -m venv beside && beside/bin/pip install open3d kiss-matcher numpy
"""
import os

os.environ["OMP_NUM_THREADS"] = "1"

import math  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

try:
    import numpy as np
except ImportError:
    sys.exit("error: numpy is missing; make the environment that `--help` shows")
try:
    import open3d as o3d
    o3d.utility.set_verbosity_level(o3d.utility.VerbosityLevel.Error)
except (ImportError, OSError) as error:
    o3d = None
    print(f"without Open3D: {error}", file=sys.stderr)
try:
    import kiss_matcher
except ImportError:
    kiss_matcher = None

# Metres: the edge of the cells in which Open3D's features keep one point, as its own registration example scales the rest.
CELL = 0.2
# Processor seconds that a system may use for the scans of one level.
LIMIT = 300


def cloud(points):
    """A cloud as Open3D's features have it: thinned, without what stands alone, with normals."""
    made = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points.astype(np.float64)))
    thin, _ = made.voxel_down_sample(CELL).remove_statistical_outlier(16, 2.0)
    thin.estimate_normals(o3d.geometry.KDTreeSearchParamHybrid(radius=2.5 * CELL, max_nn=30))
    return made, thin


def refined(query, target, pose):
    """A pose after closest points: a feature alone is not right to 5 cm."""
    for reach in (0.15, 0.08, 0.05):
        pose = o3d.pipelines.registration.registration_icp(query, target, reach, pose).transformation
    return pose


def ransac(query, target):
    """Open3D: features FPFH, correspondences both ways, RANSAC with a million tries, closest points."""
    library = o3d.pipelines.registration
    (source, thin), (goal, sparse) = cloud(query), cloud(target)
    search = o3d.geometry.KDTreeSearchParamHybrid(radius=5 * CELL, max_nn=100)
    features = [library.compute_fpfh_feature(c, search) for c in (thin, sparse)]
    found = library.registration_ransac_based_on_feature_matching(
        thin, sparse, *features, True, 1.5 * CELL, library.TransformationEstimationPointToPoint(False), 3,
        [library.CorrespondenceCheckerBasedOnEdgeLength(0.9), library.CorrespondenceCheckerBasedOnDistance(1.5 * CELL)],
        library.RANSACConvergenceCriteria(1_000_000, 0.999))
    return refined(source, goal, found.transformation)


def kiss(query, target, gravity):
    """KISS-Matcher with its own features, and with gravity its solver for that; closest points by Open3D where there."""
    config = kiss_matcher.KISSMatcherConfig(CELL, use_quatro=gravity)
    found = kiss_matcher.KISSMatcher(config).estimate(list(query), list(target))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = found.rotation, np.ravel(found.translation)
    return pose if o3d is None else refined(cloud(query)[0], cloud(target)[0], pose)


def is_right(pose, truth, middle):
    """The rule of the trials: 5 cm at the middle of the scan, and 2°."""
    if not np.isfinite(pose).all():
        return False
    distance = np.linalg.norm((pose @ middle - truth @ middle)[:3])
    cosine = (np.trace(pose[:3, :3].T @ truth[:3, :3]) - 1) / 2
    return distance <= 0.05 and math.degrees(math.acos(min(1, max(-1, cosine)))) <= 2


def read(stem):
    """Map, query, truth and middle of a trial."""
    numbers = [np.fromfile(f"{stem}.{part}", "<f4") for part in ("map", "query", "truth")]
    truth = np.vstack([numbers[2][:12].reshape(3, 4), [0, 0, 0, 1]]).astype(np.float64)
    return numbers[0].reshape(-1, 3), numbers[1].reshape(-1, 3), truth, np.append(numbers[2][12:15], 1).astype(np.float64)


def main(words):
    if len(words) < 4 or words[1] not in ("gravity", "free"):
        sys.exit(__doc__)
    trials, mode, first, last, *levels = words
    systems = {}
    if o3d is not None:
        systems["Open3D, FPFH and RANSAC"] = ransac
    if kiss_matcher is not None:
        systems["KISS-Matcher"] = lambda query, target: kiss(query, target, mode == "gravity")
    for level in levels or ["easy", "medium", "hard"]:
        order = [trials, mode, level, "all", "here", first, last]
        print("ours:", subprocess.run(order, check=True, capture_output=True, text=True).stdout.strip(), flush=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([*order, "export", folder], check=True)
            # By seed first, so that a system that reaches the limit has done as many of each place.
            stems = sorted((path.with_suffix("") for path in Path(folder).glob("*.truth")), key=lambda s: s.name.split("-")[::-1])
            for name, align in systems.items():
                right, done, spent = 0, 0, 0.0
                for stem in stems:
                    if spent > LIMIT:
                        break
                    target, query, truth, middle = read(stem)
                    begin = time.process_time()
                    pose = align(query, target)
                    spent += time.process_time() - begin
                    right += is_right(pose, truth, middle)
                    done += 1
                print(f"{name}: {level}: {done} trials, {right} right; CPU ms {1000 * spent / done:.0f}", flush=True)


main(sys.argv[1:])
