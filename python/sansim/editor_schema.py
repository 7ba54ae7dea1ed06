"""The JSON Schema of one scenario for an editor: each of its components has the keys of its kind.

The schema of all scenarios decides by the key `kind` which keys a component may have. Language servers check that, and
few of them complete keys by it; what all of them complete are keys of tables that a schema names.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

from sansim import _core

ANY = "component"
"""The name of what the schema says of any component."""
LINE = "#:schema "
"""The begin of the line by which editors find the schema of a TOML file; taplo made it."""


def schema_for(scenario: str) -> str:
    """The schema of a scenario as JSON text; the scenario may have any mistakes but those of TOML.

    Raises:
        ValueError: The text is not TOML.
    """
    tables = tomllib.loads(scenario)
    schema: dict[str, Any] = json.loads(_core.schema_json())
    kinds = {kind.word for kind in _core.kinds()} & set(schema["$defs"])
    schema["$defs"][ANY] = schema["additionalProperties"]
    schema["additionalProperties"] = {"$ref": f"#/$defs/{ANY}"}
    for name, table in tables.items():
        kind = table.get("kind") if isinstance(table, dict) else None
        if isinstance(kind, str) and kind in kinds and name not in schema["properties"]:
            # Valid is the same as for any component, so another kind may be written; only keys are offered.
            general, own = {"$ref": f"#/$defs/{ANY}"}, {"$ref": f"#/$defs/{kind}"}
            schema["properties"][name] = {"allOf": [general], "anyOf": [{}, own]}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
