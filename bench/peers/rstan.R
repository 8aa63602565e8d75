# Draws of Stan from the posterior of a Gaussian process's hyperparameters, for side-by-side benchmarks.
#
#   Rscript rstan.R FOLDER N CHAINS WARMUP DRAWS SEED < numbers
#
# Reads N inputs and N observations, doubles. Keeps the compiled program in FOLDER, where it looks for it first. Writes the draws of variance, lengthscale and
# noise (chain by chain, draw by draw, in this order) to the output and one JSON line to the error output: seconds of `compiling` and `sampling`, of which
# `cpuSeconds` were the processor's; `gradients` in all, `afterWarmup`, and the version.
given <- commandArgs(trailingOnly = TRUE)
n <- as.integer(given[2])
numbers <- readBin(file("stdin", "rb"), "double", 2 * n, endian = "little")
program <- "
data { int<lower=1> N; real x[N]; vector[N] y; }
parameters { real<lower=0> height; real<lower=0> lengthscale; real<lower=0> noise; }
model {
  matrix[N, N] K = cov_exp_quad(x, sqrt(height), lengthscale);
  for (i in 1:N) K[i, i] = K[i, i] + noise;
  height ~ gamma(2, 2);
  lengthscale ~ gamma(2, 2);
  noise ~ gamma(2, 2);
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(K));
}"
messages <- file(nullfile(), "w")
sink(messages)
sink(messages, type = "message")
library(rstan)
rstan_options(auto_write = TRUE)
# Headers of Boost are packages of their own in some distributions.
if (!file.exists(system.file("include", "boost", "version.hpp", package = "BH"))) rstan_options(boost_lib = "/usr/include")
path <- file.path(given[1], "process.stan")
if (!file.exists(path)) writeLines(program, path)
compiling <- system.time(model <- stan_model(path))[["elapsed"]]
data <- list(N = n, x = numbers[seq_len(n)], y = numbers[n + seq_len(n)])
counts <- as.integer(given[3:6])
used <- system.time(
  drawn <- sampling(model, data, chains = counts[1], warmup = counts[2], iter = counts[2] + counts[3], seed = counts[4], cores = 1, refresh = 0)
)
steps <- function(warmup) {
  sum(sapply(get_sampler_params(drawn, inc_warmup = warmup), function(chain) sum(chain[, "n_leapfrog__"])))
}
values <- extract(drawn, c("height", "lengthscale", "noise"), permuted = FALSE)
sink(type = "message")
sink()
writeBin(as.vector(aperm(values, c(3, 1, 2))), pipe("cat", "wb"), endian = "little")
cat(sprintf(
  '{"compiling": %f, "sampling": %f, "cpuSeconds": %f, "gradients": %d, "afterWarmup": %d, "version": "%s"}\n', compiling, used[["elapsed"]],
  used[["user.self"]] + used[["sys.self"]], as.integer(steps(TRUE)), as.integer(steps(FALSE)), packageVersion("rstan")
), file = stderr())
