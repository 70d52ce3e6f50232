import { Context, Effect, Layer } from "effect"

/**
 * Every place at which a sender can be stopped in a test: after each of its commits, and before and after each call to somebody
 * else. What it does must be right wherever it is stopped.
 */
export const failpoints = [
  "queue.read",
  "payout.preflighted",
  "payouts.planned",
  "payout.deferred",
  "payout.failed",
  "transaction.reserved",
  "build.before",
  "build.after",
  "transaction.released",
  "transaction.delayed",
  "sign.before",
  "sign.after",
  "signed.stored",
  "broadcast.before",
  "broadcast.after",
  "broadcast.stored",
  "status.before",
  "status.after",
  "status.stored",
  "rebroadcast.before",
  "rebroadcast.after",
  "rebroadcast.stored",
  "replacement.built",
  "replacement.signed",
  "replacement.stored"
] as const

/** The places beside, where accounts are set up. */
export const provisioningFailpoints = [
  "provisioning.read",
  "provisioning.planned",
  "provisioning.reserved",
  "provisioning.recorded"
] as const

/** The places beside, where what arrived is swept. */
export const sweepFailpoints = [
  "sweep.queue.read",
  "sweep.open.read",
  "sweep.balance.read",
  "sweep.planned",
  "sweep.topup.planned",
  "sweep.reserved",
  "sweep.topup.reserved",
  "sweep.confirmed",
  "sweep.postponed",
  "sweep.abandoned",
  "sweep.closed"
] as const

/** A place at which a sender can be stopped. */
export type FailpointName =
  | (typeof failpoints)[number]
  | (typeof provisioningFailpoints)[number]
  | (typeof sweepFailpoints)[number]

/** Is told of every place that a sender comes by. Does nothing unless a test puts something in its place. */
export const Failpoint = Context.Reference<(name: FailpointName) => Effect.Effect<void>>(
  "@bursar/worker/transactions/Failpoint",
  {
    defaultValue: () => () => Effect.void
  }
)

/** Tells that a sender has come to a place. */
export const failpoint = (name: FailpointName): Effect.Effect<void> => Effect.flatMap(Failpoint, (at) => at(name))

/** The environment variable that arms a failpoint: its name, or `name:3` for the third time that it is reached. */
export const failpointVariable = "BURSAR_FAILPOINT"

const readArmed = (text: string | undefined): { readonly name: FailpointName; readonly times: number } | undefined => {
  const [name, times = "1"] = (text ?? "").split(":")
  const known = [...failpoints, ...provisioningFailpoints, ...sweepFailpoints].find((one) => one === name)
  return known === undefined ? undefined : { name: known, times: Number.parseInt(times, 10) }
}

/**
 * Kills the process, as a crash would, when it reaches the failpoint that `BURSAR_FAILPOINT` names. For tests: where the variable is
 * not set this does nothing at all.
 */
export const layerFromEnvironment: Layer.Layer<never> = Layer.effect(
  Failpoint,
  Effect.sync(() => {
    const armed = readArmed(process.env[failpointVariable])
    let left = armed?.times ?? 0
    return (name: FailpointName) =>
      Effect.sync(() => {
        if (name !== armed?.name) return
        left -= 1
        if (left === 0) process.kill(process.pid, "SIGKILL")
      })
  })
)
