"""Question graphs in other notations: Cypher, English, Mermaid; each is a text with parameters."""
