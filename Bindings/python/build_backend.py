"""Builds the wheel (PEP 517), with the C library in it.

It needs no package: a wheel is a zip archive, and ours has one thing that no common tool puts in, a library that Swift
has built. It is that of SHAREDWORLD_LIBRARY, else Scripts/install.sh builds it. The files of the folder SHAREDWORLD_LICENSES
are the licences of what is in the library.
"""

import base64
import hashlib
import os
import pathlib
import subprocess
import sysconfig
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
LIBRARY = "libCSharedWorld.so"


def project() -> dict:
    """The table [project] of pyproject.toml."""
    return tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def library(stage: pathlib.Path) -> pathlib.Path:
    """The library that goes into the wheel, built in release with the Swift runtime in it unless one is named."""
    if named := os.environ.get("SHAREDWORLD_LIBRARY"):
        return pathlib.Path(named)
    environment = {**os.environ, "PREFIX": "/usr", "DESTDIR": str(stage)}
    subprocess.run([TOP / "Scripts" / "install.sh"], env=environment, check=True)
    return stage / "usr" / "lib" / LIBRARY


def metadata(about: dict) -> str:
    lines = [
        "Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {about['version']}",
        f"Summary: {about['description']}", f"Requires-Python: {about['requires-python']}",
        "License: Apache-2.0", "Description-Content-Type: text/markdown"]
    lines += [f"Requires-Dist: {dependency}" for dependency in about["dependencies"]]
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text(encoding="utf-8")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and gives its name: for any Python 3, and for machines like this one."""
    about = project()
    tag = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    release = f"{about['name']}-{about['version']}"
    folder, name = f"{release}.dist-info", f"{release}-{tag}.whl"
    with tempfile.TemporaryDirectory() as stage:
        files = {f"sharedworld/{path.name}": path.read_bytes() for path in sorted((HERE / "sharedworld").glob("*.py"))}
        files["sharedworld/py.typed"] = b""
        files[f"sharedworld/{LIBRARY}"] = library(pathlib.Path(stage)).read_bytes()
    files[f"{folder}/METADATA"] = metadata(about).encode()
    about_wheel = ["Wheel-Version: 1.0", "Generator: sharedworld", "Root-Is-Purelib: false", f"Tag: {tag}", ""]
    files[f"{folder}/WHEEL"] = "\n".join(about_wheel).encode()
    files[f"{folder}/licenses/LICENSE"] = (TOP / "LICENSE").read_bytes()
    if licenses := os.environ.get("SHAREDWORLD_LICENSES"):
        files |= {f"{folder}/licenses/{path.name}": path.read_bytes() for path in sorted(pathlib.Path(licenses).iterdir())}
    rows = [f"{path},sha256={digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{folder}/RECORD"] = ("\n".join([*rows, f"{folder}/RECORD,,"]) + "\n").encode()
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def digest(data: bytes) -> str:
    """As a RECORD has it: SHA-256 in URL-safe base 64 without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory, config_settings=None):
    """There is none: the library is built from the whole repository."""
    raise NotImplementedError("build a wheel in a clone of the repository: pip wheel Bindings/python")
