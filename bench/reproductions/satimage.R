# Writes satimage_X.npy (4435×36) and satimage_y.npy, the training rows of UCI's Statlog (Landsat Satellite), out of the package mlbench (Debian: r-cran-mlbench),
# whose first 4435 rows they are:
#
#   Rscript bench/reproductions/satimage.R FOLDER
folder <- commandArgs(trailingOnly = TRUE)[1]
data(Satellite, package = "mlbench")
rows <- Satellite[1:4435, ]

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

write_npy("satimage_X.npy", "<f8", c(4435, 36), as.numeric(t(as.matrix(rows[, 1:36]))), 8)
write_npy("satimage_y.npy", "<i4", 4435, as.integer(rows$classes) - 1L, 4)
