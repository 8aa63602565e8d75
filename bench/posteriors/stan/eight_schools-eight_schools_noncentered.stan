data { int<lower=0> J; real y[J]; real<lower=0> sigma[J]; }
parameters { vector[J] z; real mu; real<lower=0> tau; }
transformed parameters { vector[J] theta = z * tau + mu; }
model {
  z ~ normal(0, 1);
  y ~ normal(theta, sigma);
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
}
