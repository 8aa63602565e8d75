# UMAP of uwot and t-SNE of Rtsne, for side-by-side benchmarks.
#
#   Rscript maps.R uwot|Rtsne N D THREADS [NEIGHBORS] < points
#
# Reads N x D doubles by rows, writes N x 2 doubles by rows to the output and one JSON line to the error output: {"ms", "cpuSeconds"}.
given <- commandArgs(trailingOnly = TRUE)
n <- as.integer(given[2])
d <- as.integer(given[3])
threads <- as.integer(given[4])
neighbors <- if (is.na(given[5])) 15L else as.integer(given[5])
Y <- matrix(readBin(file("stdin", "rb"), "double", n * d, endian = "little"), n, d, byrow = TRUE)
set.seed(1)
used <- system.time(
  X <- switch(given[1],
    uwot = uwot::umap(Y, n_neighbors = neighbors, n_threads = threads, n_sgd_threads = 0, verbose = FALSE),
    Rtsne = Rtsne::Rtsne(Y, check_duplicates = FALSE, num_threads = threads)$Y
  )
)
writeBin(as.vector(t(X)), pipe("cat", "wb"), endian = "little")
cat(sprintf('{"ms": %f, "cpuSeconds": %f}\n', 1000 * used[["elapsed"]], used[["user.self"]] + used[["sys.self"]]), file = stderr())
