import type { Plugin } from "vitest/config"
import { type PoolWorker, ThreadsPoolWorker, type VitestPluginContext } from "vitest/node"

type Message = Parameters<PoolWorker["send"]>[0]
type Listener = Parameters<PoolWorker["on"]>[1]

/**
 * A worker that stays when a run of tests has ended, so that the next mutant finds the domain and its tests loaded: to load them takes longer than to
 * find most mutants. Vitest believes that it stops, and starts again.
 */
class KeptWorker extends ThreadsPoolWorker {
  override readonly name = "kept"
  #started: Promise<void> | undefined
  readonly #hearers = new Set<Listener>()

  override start(): Promise<void> {
    this.#started ??= super.start()
    return this.#started
  }

  override stop(): Promise<void> {
    for (const hearer of this.#hearers) super.off("message", hearer)
    this.#hearers.clear()
    return Promise.resolve()
  }

  end(): Promise<void> | undefined {
    return this.#started?.then(() => super.stop())
  }

  override on(event: string, listener: Listener): void {
    if (event === "message") this.#hearers.add(listener)
    super.on(event, listener)
  }

  override send(message: Message): void {
    if (message.type !== "stop") return super.send(message)
    for (const hearer of this.#hearers) hearer({ __vitest_worker_response__: true, type: "stopped" })
  }
}

/** Has the tests of a project run in one worker, however often they run. Stryker asks for threads, so it is said after that. */
export const keepWorker: Plugin = {
  name: "keep-worker",
  configureVitest: ({ vitest, project }: VitestPluginContext) => {
    let kept: KeptWorker | undefined
    project.config.pool = "kept"
    project.config.poolRunner = { name: "kept", createPoolWorker: (options) => (kept ??= new KeptWorker(options)) }
    vitest.onClose(() => kept?.end())
  }
}
