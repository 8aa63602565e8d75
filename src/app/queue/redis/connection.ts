import { InvalidInputError, LatentFieldError } from '../../../core/errors.ts';
import { optionalPackage } from '../../../core/host.ts';

/** Purpose of the packages, for the error if they are not installed. */
const PURPOSE = 'A queue on Redis';
const PACKAGES = 'bullmq ioredis';

/**
 * Imports the packages for a queue on Redis.
 *
 * @throws InvalidInputError that names the packages to install
 */
export async function queuePackages(): Promise<{
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof import('ioredis').Redis;
}> {
  const [bullmq, ioredis] = await optionalPackage(
    PACKAGES,
    () => Promise.all([import('bullmq'), import('ioredis')]),
    PURPOSE,
  );
  return { bullmq, Redis: ioredis.Redis };
}

/** Address of a server, in the form of ioredis. */
export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: object;
}

/**
 * Reads redis://user:password@host:port/database, or rediss:// for TLS.
 *
 * @throws InvalidInputError for any other text, which is not repeated because it may contain a password
 */
export function serverOptions(connection: string): ServerOptions {
  const expected = 'redis://user:password@host:6379/0, or rediss://… for TLS';
  const url = URL.canParse(connection) ? new URL(connection) : undefined;
  const db = Number(url?.pathname.replace(/^\/|\/$/g, ''));
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol) || !Number.isInteger(db) || db < 0) {
    throw new InvalidInputError(`The connection to Redis is not of the form ${expected}.`);
  }
  const { hostname, port, protocol } = url;
  const [username, password] = [url.username, url.password].map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      throw new InvalidInputError(
        'The user name or password in the connection to Redis has a % that begins no character. Write %25 for it.',
      );
    }
  }) as [string, string];
  return {
    host: hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: port === '' ? 6379 : Number(port),
    db,
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}

/** Milliseconds within which a server must answer at first. */
const ANSWER = 4000;
/** Attempts to reconnect, with pauses that grow to a second: about a minute, enough for a restart. */
const MOST_ATTEMPTS = 70;
const MOST_PAUSE = 1000;

/** Options of long-lived connections, which try to reconnect for a minute while the server is away. */
export function lasting(server: ServerOptions) {
  return {
    ...server,
    connectTimeout: ANSWER,
    // The blocking call of a worker waits until there is a job.
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => (times > MOST_ATTEMPTS ? null : Math.min(50 * times, MOST_PAUSE)),
  };
}

/**
 * Connects once, so that a wrong server or password is reported at once.
 *
 * @throws LatentFieldError that names the server and never the password
 */
export async function checkServer(server: ServerOptions): Promise<void> {
  const { Redis } = await queuePackages();
  const client = new Redis({ ...lasting(server), lazyConnect: true, retryStrategy: () => null });
  let first: Error | undefined;
  client.on('error', (error: Error) => {
    first ??= error;
  });
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('it did not answer within 4 seconds')), ANSWER).unref();
  });
  try {
    const answer: unknown = await Promise.race([client.connect().then(() => client.ping()), late]);
    if (answer !== 'PONG') throw new Error('Protocol error');
  } catch (error) {
    throw failureOf(server, first ?? (error as Error));
  } finally {
    client.disconnect();
  }
}

/**
 * Error of a server or connection in words, without any part of the connection string; an error of the library is returned unchanged. It has no
 * cause: errors of ioredis contain the command that failed, which may include the password.
 */
export function failureOf({ host, port }: ServerOptions, error: Error): LatentFieldError {
  if (error instanceof LatentFieldError) return error;
  return new LatentFieldError(`Redis at ${host}:${port} ${reasonOf(error)}`);
}

function reasonOf({ message, code }: NodeJS.ErrnoException): string {
  if (/WRONGPASS|invalid password/i.test(message)) {
    return 'refused the user name or password. Check those in the connection string.';
  }
  if (/NOAUTH/i.test(message)) {
    return 'asks for a password. Give it in the connection string: redis://:password@host.';
  }
  if (/NOPERM/i.test(message)) return 'does not let this user do what a queue needs. Check its permissions.';
  if (code !== undefined && /CERT|SELF_SIGNED|ERR_TLS/.test(code)) {
    return `shows a certificate that is not trusted here (${code}). Name the file of its authority: NODE_EXTRA_CA_CERTS=FILE.`;
  }
  if (code !== undefined) return `cannot be reached (${code}). Is it running, and is the address right?`;
  if (/\bOOM\b/.test(message)) {
    return "is out of memory (its maxmemory), and stored nothing. Raise maxmemory, or clear abandoned jobs: 'latentfield queue --clear'.";
  }
  if (/MISCONF/.test(message))
    return 'refuses writes, because it cannot save its data to disk (MISCONF). Check its log and the free space on its disk.';
  if (/READONLY/.test(message)) return 'is a read-only replica. Give the address of its primary.';
  if (/LOADING/.test(message)) return 'is still loading its data. Try again in a moment.';
  if (/Protocol error|RESP|please report/i.test(message))
    return 'answers as no Redis server does. Is another service at that port?';
  if (/Connection is closed/i.test(message)) return 'has closed the connection. Is it running?';
  if (/did not answer/.test(message)) {
    return 'did not answer within 4 seconds as Redis does. Is it running, and does it take TLS (rediss://)?';
  }
  return `failed: ${message.slice(0, 200)}.`;
}
