/** A node: starts, follows, takes over, writes, is paused and killed. */
import { decideRole } from '../../../src/cluster/role-decision.ts';
import { TakeoverWatch } from '../../../src/cluster/takeover-watch.ts';
import { mayRepeat } from '../../../src/cluster/writer-forwarding.ts';
import type { WriterNote } from '../../../src/cluster/writer-note.ts';
import type { EventLoop } from './event-loop.ts';
import { SimulatedReader } from './simulated-reader.ts';
import type { SimulatedStore } from './simulated-store.ts';
import { SimulatedWriter } from './simulated-writer.ts';
import type { World } from './simulation.ts';

const TAKEOVER_MS = 3000;
const POLL_MS = 250;
const RETRY_MS = 100;
const REQUEST_MS = 5000;

/** Answer of a node to a forwarded request, or the end of its connection. */
type Attempt = { readonly code: string } | { readonly status: number; readonly body: string };

const REFUSAL: Attempt = { status: 503, body: '{"code":"writer_unavailable"}' };

export class SimulatedNode {
  readonly id: string;
  readonly world: World;
  readonly #role: 'all' | 'reader';
  /** Counts its processes: events of an ended process are dropped. */
  #process = 0;
  #isUp = false;
  #pausedUntilMs = 0;
  #wasFenced = false;
  #reader: SimulatedReader | null = null;
  #writer: SimulatedWriter | null = null;
  /** Requests of other nodes without an answer. */
  readonly #open = new Set<(attempt: Attempt) => void>();

  constructor(world: World, id: string, role: 'all' | 'reader') {
    this.world = world;
    this.id = id;
    this.#role = role;
  }

  get store(): SimulatedStore {
    return this.world.store;
  }

  get loop(): EventLoop {
    return this.world.loop;
  }

  /** Has stopped older writers, reads the log and runs. */
  get isOpening(): boolean {
    return this.#writer?.isServing === false && this.#pausedUntilMs <= this.loop.nowMs;
  }

  get isCurrent(): boolean {
    return this.#writer?.isServing === true || this.#reader?.isCurrent === true;
  }

  /** Runs while this process lives and is not paused. */
  bound<Argument>(run: (argument: Argument) => void): (argument: Argument) => void {
    const process = this.#process;
    const attempt = (argument: Argument): void => {
      if (process !== this.#process) return;
      const pauseMs = this.#pausedUntilMs - this.loop.nowMs;
      if (pauseMs > 0)
        this.loop.after(pauseMs + this.world.between(0, 20), () => attempt(argument));
      else run(argument);
    };
    return attempt;
  }

  after(delayMs: number, run: () => void): void {
    const bound = this.bound<undefined>(run);
    this.loop.after(delayMs, () => bound(undefined));
  }

  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.loop.nowMs + ms);
  }

  wake(): void {
    this.#pausedUntilMs = 0;
  }

  /** The process ends, and another one starts. */
  end(reason: 'fenced' | 'failed' | 'killed'): void {
    this.#process++;
    this.#isUp = false;
    this.#reader = null;
    this.#writer = null;
    this.#pausedUntilMs = 0;
    this.#wasFenced = reason === 'fenced';
    for (const answer of this.#open) this.loop.after(1, () => answer({ code: 'ECONNRESET' }));
    this.#open.clear();
    this.after(this.world.between(100, 3000), () => {
      this.#isUp = true;
      this.#start();
    });
  }

  stop(): void {
    if (this.#writer?.isServing === true) this.#writer.stop(() => this.end('killed'));
    else this.end('killed');
  }

  /** A client sends a request that enqueues a task. */
  request(request: number): void {
    this.#forward(request, this.loop.nowMs + REQUEST_MS);
  }

  #forward(request: number, endMs: number): void {
    const { world, loop } = this;
    if (!this.#isUp) return;
    const finished = this.bound((attempt: Attempt) => {
      if ('status' in attempt && attempt.status === 202)
        return world.acknowledged(request, Number(attempt.body));
      if ((mayRepeat(attempt) || !world.options.isCareful) && loop.nowMs + RETRY_MS < endMs)
        this.after(RETRY_MS, () => this.#forward(request, endMs));
    });
    const { note } = this.store;
    const target = note === null || note.hasStopped ? undefined : world.node(note.nodeId);
    if (this.#writer?.isServing === true) this.#receive(request, finished);
    else if (target === undefined || target === this) finished(REFUSAL);
    else loop.after(world.between(1, 10), () => target.#receive(request, finished));
  }

  #receive(request: number, answer: (attempt: Attempt) => void): void {
    if (!this.#isUp) {
      this.loop.after(1, () => answer({ code: 'ECONNREFUSED' }));
      return;
    }
    this.#open.add(answer);
    const reply = (attempt: Attempt): void => {
      if (this.#open.delete(answer))
        this.loop.after(this.world.between(1, 10), () => answer(attempt));
    };
    this.bound<undefined>(() => {
      if (this.#writer?.isServing !== true) return reply(REFUSAL);
      this.#writer.enqueue(request, (uid) => reply({ status: 202, body: String(uid) }));
    })(undefined);
  }

  #start(): void {
    const { note, position } = this.store;
    const isBeingOpened = this.world.options.seesOpenings && this.store.isBeingOpened;
    const decision = decideRole({
      ...this.#own,
      hasDatabase: position >= 0,
      writer: note,
      isBeingOpened,
      silentMs: 0,
    });
    if (decision === 'wait') this.after(1000, () => this.#start());
    else if (decision === 'write') this.#openLater(note !== null);
    else this.#follow(isBeingOpened ? note : null);
  }

  get #own() {
    return {
      role: this.#role,
      nodeId: this.id,
      wasFenced: this.#wasFenced,
      takeoverMs: TAKEOVER_MS,
    } as const;
  }

  /** @param hasReturned it wrote before it started, or the writer has stopped */
  #openLater(hasReturned: boolean): void {
    const openedMs = this.loop.nowMs;
    this.after(this.world.between(50, 200), () => {
      this.#reader = null;
      if (hasReturned) this.world.returned(this);
      this.#writer = new SimulatedWriter(this, openedMs);
    });
  }

  #follow(openedUnder: WriterNote | null): void {
    const { world, loop, store } = this;
    const reader = new SimulatedReader(this);
    const watch = new TakeoverWatch(this.#own, loop.nowMs, openedUnder);
    const look = (): void => {
      reader.look();
      const step = watch.step(store.note!, loop.nowMs);
      if (step === 'probe') probe();
      if (step === 'write') this.after(world.between(50, 1000), takeOver);
      else this.after(POLL_MS * (0.5 + world.random()), look);
    };
    const takeOver = (): void => {
      const isSilent = watch.isRecent(loop.nowMs) || !watch.hasGrown(String(store.nextId));
      if (isSilent && world.chance(0.9)) {
        this.#openLater(false);
        return;
      }
      watch.failed(loop.nowMs);
      look();
    };
    const probe = (): void => {
      const beganMs = loop.nowMs;
      this.after(world.between(20, 1800), () => {
        const found = world.chance(0.9) ? String(store.nextId) : null;
        watch.probed(found, loop.nowMs - beganMs, loop.nowMs);
      });
    };
    this.#reader = reader;
    look();
  }
}
