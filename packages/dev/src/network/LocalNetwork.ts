import type { DevnetError } from "@bursar/simulator-kit"
import { Cause, Effect, Schedule, type Scope } from "effect"
import type { HandshakeNetworks } from "@bursar/cli/config/Handshake"
import type { NetworkSettings } from "@bursar/cli/config/NetworkSettings"

/** Blocks after which a deposit counts on a local network, its own included. */
export const confirmations = 3

/** Local nodes may be asked often, so that a person sees every state. */
export const pollIntervalMs = 250

/** A network that runs on this machine. */
export interface LocalNetwork {
  /** How the service reads it: through what can be told to misbehave. */
  readonly settings: NetworkSettings
  /** What the handshake says of it. */
  readonly handshake: Partial<HandshakeNetworks>
  /**
   * Mines a block if the chain has something to go on for: what waits, or a block with transactions that is not deep enough
   * yet. A chain on which nothing happens stands still, so its file stays small.
   */
  readonly goOn: Effect.Effect<void, DevnetError>
}

/** How a network is started. */
export interface LocalNetworkOptions {
  /** Where its chain is kept. */
  readonly stateFile: string
  /** Whether nothing is to be mined unasked. */
  readonly manualMining: boolean
}

/** Lets a network go on by itself until the scope closes. */
export const keepGoing = ({ goOn, settings }: LocalNetwork): Effect.Effect<void, never, Scope.Scope> =>
  goOn.pipe(
    Effect.catch((error) =>
      Effect.annotateLogs(Effect.logDebug("demo.block_not_mined", Cause.fail(error)), { network: settings.network })
    ),
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.forkScoped,
    Effect.asVoid
  )
