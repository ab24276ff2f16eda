"""graphkit: typed reasoning graphs for benchmarks of search agents."""
