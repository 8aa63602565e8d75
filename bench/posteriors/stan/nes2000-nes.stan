data {
  int<lower=0> N; vector[N] partyid7; vector[N] real_ideo; vector[N] race_adj; vector[N] age_discrete; vector[N] educ1;
  vector[N] gender; vector[N] income;
}
transformed data {
  matrix[N, 9] X;
  for (n in 1:N) {
    X[n, 1] = 1; X[n, 2] = real_ideo[n]; X[n, 3] = race_adj[n];
    X[n, 4] = age_discrete[n] == 2; X[n, 5] = age_discrete[n] == 3; X[n, 6] = age_discrete[n] == 4;
    X[n, 7] = educ1[n]; X[n, 8] = gender[n]; X[n, 9] = income[n];
  }
}
parameters { vector[9] beta; real<lower=0> sigma; }
model { partyid7 ~ normal(X * beta, sigma); }
