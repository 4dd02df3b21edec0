import sys

# jsonschema, which nbformat needs, would compile a grammar of web addresses at import: two seconds for no test's use
sys.modules.setdefault("rfc3987_syntax", None)
