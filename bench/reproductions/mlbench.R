# Writes data sets out of the package mlbench (Debian: r-cran-mlbench):
#
#   Rscript bench/reproductions/mlbench.R FOLDER
#
# satimage_X.npy (4435×36) and satimage_y.npy are the training rows of UCI's Statlog (Landsat Satellite), the first of its rows;
# deterding_X.npy (990×9) and deterding_y.npy are Deterding's vowels, eleven of them spoken six times by each of 15 people.
folder <- commandArgs(trailingOnly = TRUE)[1]
data(Satellite, Vowel, package = "mlbench")

write_npy <- function(name, type, shape, numbers, bytes) {
  header <- sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }", type, paste(shape, collapse = ", "))
  padding <- strrep(" ", 63 - (10 + nchar(header)) %% 64)
  file <- file(file.path(folder, name), "wb")
  writeBin(as.raw(c(0x93, utf8ToInt("NUMPY"), 1, 0)), file)
  writeBin(nchar(header) + nchar(padding) + 1L, file, size = 2, endian = "little")
  writeBin(charToRaw(paste0(header, padding, "\n")), file)
  writeBin(numbers, file, size = bytes, endian = "little")
  close(file)
}

write_set <- function(name, rows, labels) {
  X <- as.matrix(rows)
  write_npy(paste0(name, "_X.npy"), "<f8", dim(X), as.numeric(t(X)), 8)
  write_npy(paste0(name, "_y.npy"), "<i4", nrow(X), as.integer(labels) - 1L, 4)
}

satimage <- Satellite[1:4435, ]
write_set("satimage", satimage[, 1:36], satimage$classes)
write_set("deterding", Vowel[, sapply(Vowel, is.numeric)], Vowel$Class)
