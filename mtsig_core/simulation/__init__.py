"""The demonstration corpus: simulated systems, calibrated to the systems of Koehn (2004)."""
