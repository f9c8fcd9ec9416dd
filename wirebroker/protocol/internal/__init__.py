"""Generated record schemas of internal topics, made from `protocol_specs/internal/`: do not edit."""
