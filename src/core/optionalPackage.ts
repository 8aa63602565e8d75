import { InvalidInputError } from './errors.ts';

/**
 * Imports a package that users install only if they need it.
 *
 * @param name - as npm takes it; several names are separated by spaces
 * @throws InvalidInputError if it is not installed, with the command that installs it
 */
export async function optionalPackage<T>(name: string, load: () => Promise<T>, purpose: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const names = name.split(' ');
    const packages = `package${names.length > 1 ? 's' : ''} ${names.join(' and ')}`;
    throw new InvalidInputError(`${purpose} takes the ${packages}: npm install ${name}`, { cause: error });
  }
}
