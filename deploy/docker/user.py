"""Run once while an image is built: a user 65532 with an entry in passwd (asyncpg looks its own up), folders that it
may write, and Python's own modules compiled, which some bases leave out."""

import compileall
import os
import pathlib
import sysconfig

ID = 65532

passwd, group = pathlib.Path("/etc/passwd"), pathlib.Path("/etc/group")
if f":{ID}:" not in passwd.read_text():
    with passwd.open("a") as file:
        file.write(f"dream:x:{ID}:{ID}:Dream Agent:/tmp:/usr/sbin/nologin\n")
    with group.open("a") as file:
        file.write(f"dream:x:{ID}:\n")
for folder in ("/var/lib/dream", "/var/lib/dream/artifacts"):
    pathlib.Path(folder).mkdir(mode=0o750, parents=True, exist_ok=True)
    os.chown(folder, ID, ID)
compileall.compile_dir(sysconfig.get_path("stdlib"), quiet=2, workers=0)
pathlib.Path(__file__).unlink()
