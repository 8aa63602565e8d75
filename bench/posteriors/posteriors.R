# Draws of Stan from a posterior, for side-by-side benchmarks.
#
#   Rscript posteriors.R PROGRAM.stan DATA.R CHAINS WARMUP DRAWS SEED PARAMETER [PARAMETER …]
#
# DATA.R assigns the data. Compiles the program, and writes the draws of the parameters (chain by chain, draw by draw, in this order) as doubles to the
# output, and one JSON line to the error output: seconds of `compiling` and `sampling`, the number of `divergences`, and the version.
given <- commandArgs(trailingOnly = TRUE)
messages <- file(nullfile(), "w")
sink(messages)
sink(messages, type = "message")
library(rstan)
# Headers of Boost are packages of their own in some distributions.
if (!file.exists(system.file("include", "boost", "version.hpp", package = "BH"))) rstan_options(boost_lib = "/usr/include")
data <- new.env()
source(given[2], local = data)
compiling <- system.time(model <- stan_model(given[1]))[["elapsed"]]
counts <- as.integer(given[3:6])
used <- system.time(drawn <- sampling(
  model, as.list(data), chains = counts[1], warmup = counts[2], iter = counts[2] + counts[3], seed = counts[4], cores = 1, refresh = 0
))[["elapsed"]]
values <- extract(drawn, given[-(1:6)], permuted = FALSE)
sink(type = "message")
sink()
writeBin(as.vector(aperm(values, c(3, 1, 2))), pipe("cat", "wb"), endian = "little")
cat(sprintf(
  '{"compiling": %f, "sampling": %f, "divergences": %d, "version": "%s"}\n', compiling, used, as.integer(get_num_divergent(drawn)), packageVersion("rstan")
), file = stderr())
