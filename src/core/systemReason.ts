import { readGiven } from './given.ts';
import { describe } from './matrix.ts';
/**
 * The reason of a file system error, in words.
 *
 * @internal
 */
export function systemReason(error: unknown): string {
  const code = readGiven('The error', () => (error as { readonly code?: unknown } | null | undefined)?.code);
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOTDIR') return 'a part of its path is not a folder';
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EDQUOT') return 'the quota of the disk is used up';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'EFBIG') return 'it is larger than a file may be here';
  return error instanceof Error ? error.message.replace(/\.$/, '') : describe(error);
}
