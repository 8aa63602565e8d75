import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { killWorkers } from './workers.ts';

/** A Redis server of the test's own, on the loopback. */
export interface RedisServer {
  readonly connection: string;
  readonly port: number;
  /** Ends it as a power cut would, and starts it again on the same files and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedis(...settings: string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-redis-'));
  const port = await freePort();
  let running = await begun(folder, port, settings);
  const end = async () => {
    const exit = once(running, 'exit');
    running.kill('SIGKILL');
    await exit;
  };
  return {
    port,
    connection: `redis://127.0.0.1:${port}`,
    async restart() {
      await end();
      running = await begun(folder, port, settings);
    },
    async stop() {
      killWorkers(port);
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function begun(folder: string, port: number, settings: readonly string[]): Promise<ChildProcess> {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const server = spawn('redis-server', [...own, ...settings], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.on('exit', () => reject(new Error(`redis-server ended: ${said}`)));
    server.stdout.on('data', (chunk) => {
      said += String(chunk);
      if (said.includes('Ready to accept connections')) resolve();
    });
  });
  return server;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Tests that take Debian's redis-server, left out by name where there is none. */
export function describeWithRedis(title: string, options: { readonly tags?: string }, tests: () => void): void {
  if (spawnSync('redis-server', ['--version']).error === undefined) describe(title, options, tests);
  else it.skip(`${title} (redis-server is not installed: apt-get install redis-server)`, () => undefined);
}
