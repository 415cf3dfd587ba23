import net from 'node:net';
import { syncBuiltinESMExports } from 'node:module';
import { Duplex } from 'node:stream';

import type { Chance } from './chance.ts';
import { outsidePrograms, type Program, runningProgram } from './program.ts';
import type { VirtualTime } from './time.ts';

const HOST = '127.0.0.1';
const FIRST_PORT = 40_000;
/** Above the ports of what serves all seeds. */
const FIRST_PORT_OF_A_SEED = 41_000;
const LEAST_MS = 0.05;
const JITTER_MS = 0.4;

type Listener = (socket: MemorySocket) => void;

interface Listening {
  accept: Listener;
  program: Program | undefined;
}

/** One end of a connection between two programs of the simulation. */
export class MemorySocket extends Duplex {
  readonly program = runningProgram();
  connecting = false;
  remoteAddress = HOST;
  remoteFamily = 'IPv4';
  localAddress = HOST;
  remotePort = 0;
  localPort = 0;
  bytesRead = 0;
  bytesWritten = 0;
  #peer: MemorySocket | undefined;
  /** When what was written last arrives: nothing overtakes it. */
  #arrivesAt = 0;
  readonly #network: Network;

  constructor(network: Network = installed()) {
    super({ allowHalfOpen: false, emitClose: true });
    this.#network = network;
  }

  /** As `net.Socket`. */
  connect(...args: unknown[]): this {
    const { port, done } = connectArgs(args);
    if (done) this.once('connect', done);
    this.connecting = true;
    this.#network.connect(this, port);
    return this;
  }

  /** Both ends are there. */
  join(peer: MemorySocket, localPort: number, remotePort: number): void {
    this.#peer = peer;
    this.localPort = localPort;
    this.remotePort = remotePort;
    this.program?.connections.add(this);
  }

  /** The program at the other end. */
  get peerProgram(): Program | undefined {
    return this.#peer?.program;
  }

  /** The connection is gone without a word, at this end; the other end is told by the network. */
  cut(): void {
    const peer = this.#peer;
    this.#peer = undefined;
    this.program?.connections.delete(this);
    if (peer) this.#network.later(this, peer, () => peer.lost());
    if (this.program?.isKilled) return;
    // Whoever cuts it: what the program does about it is the program's.
    if (this.program) this.program.run(() => this.lost());
    else outsidePrograms(() => this.lost());
  }

  lost(): void {
    this.#peer = undefined;
    this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
  }

  /** The time at which something sent now arrives, after all that was sent before. */
  arrival(ms: number): number {
    this.#arrivesAt = Math.max(this.#arrivesAt, ms);
    return this.#arrivesAt;
  }

  override _read(): void {
    // Arrives by itself.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const peer = this.#peer;
    this.bytesWritten += chunk.length;
    // A copy: the writer may use its buffer again.
    const bytes = Buffer.from(chunk);
    if (peer)
      this.#network.later(this, peer, () => {
        peer.bytesRead += bytes.length;
        if (!peer.destroyed) peer.push(bytes);
      });
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    const peer = this.#peer;
    if (peer)
      this.#network.later(this, peer, () => {
        if (!peer.destroyed) peer.push(null);
      });
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const peer = this.#peer;
    this.#peer = undefined;
    this.program?.connections.delete(this);
    if (peer)
      this.#network.later(this, peer, () => {
        if (peer.destroyed) return;
        if (peer.readableEnded || peer.writableEnded) peer.destroy();
        else peer.push(null);
      });
    done(error);
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }
  resetAndDestroy(): this {
    this.cut();
    return this;
  }
  // The simulation's timers end what takes too long.
  setTimeout = (): this => this;
  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  ref = (): this => this;
  unref = (): this => this;
  address = () => ({ address: HOST, family: 'IPv4', port: this.localPort });
  get readyState(): string {
    return this.connecting ? 'opening' : 'open';
  }
  get pending(): boolean {
    return this.connecting;
  }
}

/** All connections of the process, in memory: each piece takes its own short time, and none overtakes another. */
export class Network {
  readonly #time: VirtualTime;
  readonly #chance: Chance;
  readonly #listening = new Map<number, Listening>();
  #nextPort = FIRST_PORT;
  /** Asked at each piece how many milliseconds it takes longer than usual on its way to a program. */
  delay: (to: Program | undefined) => number = () => 0;

  constructor(time: VirtualTime, chance: Chance) {
    this.#time = time;
    this.#chance = chance;
  }

  /** Begins again with the ports of a seed. */
  reset(): void {
    this.#nextPort = FIRST_PORT_OF_A_SEED;
    this.delay = () => 0;
  }

  /** Does something at the other end of a connection, after all that was sent before. */
  later(from: MemorySocket, to: MemorySocket, arrive: () => void): void {
    const takes = LEAST_MS + this.#chance.next() * JITTER_MS + this.delay(to.program);
    const at = from.arrival(this.#time.now + takes);
    const inProgram = () => {
      if (!to.program?.isKilled) arrive();
    };
    const run = () =>
      this.#onceItGoesOn(to.program, () => (to.program ? to.program.run(inProgram) : inProgram()));
    // What was sent arrives, even if the sender is killed meanwhile.
    outsidePrograms(() => this.#time.at(at, run));
  }

  connect(socket: MemorySocket, port: number): void {
    const takes = LEAST_MS + this.#chance.next() * JITTER_MS;
    this.#time.after(takes, () =>
      this.#onceItGoesOn(this.#listening.get(port)?.program, () => this.#accept(socket, port)),
    );
  }

  /** Does something to a program, at once unless that stands still. */
  #onceItGoesOn(program: Program | undefined, act: () => void): void {
    const standsUntil = program?.standsUntil ?? 0;
    if (standsUntil <= this.#time.now || program?.isKilled) act();
    else this.#time.at(standsUntil, () => this.#onceItGoesOn(program, act));
  }

  #accept(socket: MemorySocket, port: number): void {
    if (socket.destroyed || socket.program?.isKilled) return;
    socket.connecting = false;
    const server = this.#listening.get(port);
    if (!server || server.program?.isKilled) {
      const refused = new Error(`connect ECONNREFUSED ${HOST}:${port}`);
      socket.destroy(Object.assign(refused, { code: 'ECONNREFUSED', syscall: 'connect', port }));
      return;
    }
    const localPort = this.#nextPort++;
    const accept = () => {
      const other = new MemorySocket(this);
      other.join(socket, port, localPort);
      socket.join(other, localPort, port);
      server.accept(other);
    };
    if (server.program) server.program.run(accept);
    else outsidePrograms(accept);
    socket.emit('connect');
    socket.emit('ready');
  }

  /** Accepts connections at a port, by default at one of its own; returns the port. */
  listen(port: number, accept: Listener): number {
    const taken = port === 0 ? this.#nextPort++ : port;
    const program = runningProgram();
    if (this.#listening.get(taken)?.program?.isKilled === false)
      throw Object.assign(new Error(`listen EADDRINUSE ${HOST}:${taken}`), { code: 'EADDRINUSE' });
    this.#listening.set(taken, { accept, program });
    program?.onKill(() => this.unlisten(taken));
    return taken;
  }

  unlisten(port: number): void {
    this.#listening.delete(port);
  }

  /** Replaces the sockets of the process. */
  install(): void {
    const network = this as Network;
    theNetwork = network;
    const connect = (...args: unknown[]) => new MemorySocket(network).connect(...args);
    Object.assign(net, { connect, createConnection: connect, Socket: MemorySocket });
    const ports = new WeakMap<net.Server, number>();
    const sockets = new WeakMap<net.Server, Set<MemorySocket>>();
    Object.assign(net.Server.prototype, {
      listen(this: net.Server, ...args: unknown[]) {
        const { port, done } = connectArgs(args);
        if (done) this.once('listening', done);
        const open = new Set<MemorySocket>();
        sockets.set(this, open);
        ports.set(
          this,
          network.listen(port, (socket) => {
            open.add(socket);
            socket.once('close', () => {
              open.delete(socket);
              if (!ports.has(this) && open.size === 0) this.emit('close');
            });
            this.emit('connection', socket);
          }),
        );
        process.nextTick(() => this.emit('listening'));
        return this;
      },
      close(this: net.Server, done?: (error?: Error) => void) {
        const port = ports.get(this);
        if (done) {
          if (port === undefined) process.nextTick(done);
          else this.once('close', done);
        }
        if (port === undefined) return this;
        network.unlisten(port);
        ports.delete(this);
        if (sockets.get(this)?.size === 0) process.nextTick(() => this.emit('close'));
        return this;
      },
      address(this: net.Server) {
        const port = ports.get(this);
        return port === undefined ? null : { address: HOST, family: 'IPv4', port };
      },
      getConnections(this: net.Server, done: (error: null, count: number) => void) {
        process.nextTick(done, null, sockets.get(this)?.size ?? 0);
      },
      ref(this: net.Server) {
        return this;
      },
      unref(this: net.Server) {
        return this;
      },
    });
    Object.defineProperty(net.Server.prototype, 'listening', {
      configurable: true,
      get(this: net.Server) {
        return ports.has(this);
      },
    });
    syncBuiltinESMExports();
  }
}

let theNetwork: Network | undefined;
function installed(): Network {
  if (!theNetwork) throw new Error('no network is installed');
  return theNetwork;
}

/** The port and the callback of `connect` and `listen`, in each way in which they may be called. */
function connectArgs(args: readonly unknown[]): { port: number; done?: (...args: unknown[]) => void } {
  const flat = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  const [first] = flat;
  const done = flat.find((arg) => typeof arg === 'function') as (() => void) | undefined;
  const port = typeof first === 'object' && first !== null ? (first as { port?: unknown }).port : first;
  return { port: Number(port ?? 0), ...(done && { done }) };
}
