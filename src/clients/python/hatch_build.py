"""The build: makes the plain tree of calls, which no checkout keeps, and puts adapters of frameworks into packages."""

import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Made(BuildHookInterface):
    """Makes `quern/_sync`, and puts the modules of `../frameworks` into the package."""

    def initialize(self, version, build_data):
        """Before each build, of a wheel, an editable one, or an archive of sources."""
        root = Path(self.root)
        sys.path.insert(0, self.root)
        from make_sync import write

        write(root / "quern")
        build_data["artifacts"].append("quern/_sync/*.py")
        # In a checkout the package itself finds them; an archive of sources has them inside already.
        if version != "editable":
            for file in sorted(root.parent.glob("frameworks/*/*.py")):
                build_data["force_include"][str(file)] = f"quern/{file.name}"
