/** What the operating system refuses, in the words of JSON-RPC and of people. */
import { RequestError } from '@agentclientprotocol/sdk';

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EEXIST: 'a file of that name is in the way',
  EISDIR: 'is a folder',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
};

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Whether there is nothing of that name. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The answer to an agent whose request failed on `path`. */
export function faultOf(error: unknown, path: string): RequestError {
  if (error instanceof RequestError) return error;
  return fault(path, reasonOf(error));
}

/** What went wrong, without the name of the file where the system said it. */
export function reasonOf(error: unknown): string {
  const reason = REASONS[codeOf(error) ?? ''];
  return reason ?? (error instanceof Error ? error.message : String(error));
}

/** A request that was in order and could not be fulfilled. */
export function fault(path: string, reason: string): RequestError {
  return RequestError.internalError({ path }, `${path}: ${reason}`);
}
