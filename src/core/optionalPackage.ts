import { InvalidInputError } from './errors.ts';

/**
 * A package that is installed only where it is wanted.
 *
 * @param name - as npm takes it; several with spaces between them
 * @throws InvalidInputError when it is not there, with the command that installs it
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
