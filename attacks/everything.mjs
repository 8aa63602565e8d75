// All that the package exports from its modules, under one name.
export * from 'latentfield';
export * from 'latentfield/fields';
export * from 'latentfield/inference';
export * from 'latentfield/kernels';
export * from 'latentfield/latents';
export * from 'latentfield/mapping';
export * from 'latentfield/model';
export * from 'latentfield/models';
export * from 'latentfield/numerics';
export * from 'latentfield/priors';
export * from 'latentfield/tensors';
