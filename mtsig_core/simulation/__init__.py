"""The demonstration corpus: simulated systems, calibrated to those of Koehn (2004)."""
