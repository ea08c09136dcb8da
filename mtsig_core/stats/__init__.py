"""From statistics to replicates, and from these to p-values, intervals, ranks and power."""
