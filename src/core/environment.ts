/** A variable of the environment; undefined where there is none, and where the program may not read it, as in Deno without permission. */
export function environmentVariable(name: string): string | undefined {
  try {
    return typeof process === 'undefined' ? undefined : process.env?.[name];
  } catch {
    return undefined;
  }
}
