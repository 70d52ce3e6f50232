import { GrantWitness } from "@bursar/core/port/GrantWitness"
import type { SignTransaction, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { Cause, type Context, Effect, type Exit } from "effect"
import type { Host } from "./Host.ts"

/** What a signer answers to. */
export interface SignerServices {
  readonly signer: TransactionSigner["Service"]
  /** Absent where nobody asks since when grants are known. */
  readonly witness?: GrantWitness["Service"] | undefined
}

/** A transaction that the signer signed, as whoever watches the wire knows it. */
export interface Signing {
  readonly asked: SignTransaction
  /** When the very same was asked for the first time that it did not refuse, and when it answered, by the true time. */
  readonly askedAt: number
  readonly answeredAt: number
  readonly hash: string
  readonly raw: Uint8Array
}

/** How other processes reach the signer. It answers for as long as its process lives. */
export interface SignerDesk {
  /** A signer opens. What it is asked runs in its own process. */
  readonly open: (host: Host, services: SignerServices, surroundings: Context.Context<never>) => void
  readonly service: SignerServices["signer"]
  readonly witness: GrantWitness["Service"]
  /** All that was ever signed, in the order of the answers. */
  readonly signings: ReadonlyArray<Signing>
}

const unreachable = new VaultError({ doing: "reach the signer", reason: "it does not answer" })

interface Opened {
  readonly host: Host
  readonly services: SignerServices
  readonly surroundings: Context.Context<never>
}

/** A desk at which nobody sits yet. */
export const makeSignerDesk = (now: () => number, start: (effect: Effect.Effect<unknown>) => void): SignerDesk => {
  let opened: Opened | undefined
  const signings: Array<Signing> = []
  /** What was asked and not refused: a signer that died since may have signed it. */
  const open = new Map<string, number>()

  /** Has the signer do something in its process. Whoever asked learns nothing if that dies. */
  const ask = <A, E>(what: (services: SignerServices) => Effect.Effect<A, E>): Effect.Effect<A, E | VaultError> =>
    Effect.callback((resume) => {
      if (opened === undefined || !opened.host.alive()) return resume(Effect.fail(unreachable))
      const { host, services, surroundings } = opened
      let told = false
      const tell = (exit: Effect.Effect<A, E | VaultError>): void => {
        if (told) return
        told = true
        resume(exit)
      }
      host.onDeath(() => tell(Effect.fail(unreachable)))
      const heard = (exit: Exit.Exit<A, E>): void => {
        if (exit._tag === "Success") tell(exit)
        else tell(Cause.hasDies(exit.cause) ? Effect.fail(unreachable) : exit)
      }
      start(Effect.map(Effect.exit(Effect.provideContext(what(services), surroundings)), heard))
      return undefined
    })

  return {
    signings,
    open: (host, services, surroundings) => {
      opened = { host, services, surroundings }
    },
    witness: GrantWitness.of({
      receivesFrom: (destination) =>
        ask(({ witness }) => witness?.receivesFrom(destination) ?? Effect.fail(unreachable))
    }),
    service: {
      signed: (of) => ask(({ signer }) => signer.signed(of)),
      sign: (asked) =>
        Effect.suspend(() => {
          const name = `${asked.tenantId} ${asked.network} ${Buffer.from(asked.unsigned).toString("hex")}`
          const askedAt = open.get(name) ?? now()
          open.set(name, askedAt)
          // noted where the signer is: whoever asked may be gone when it answers
          return ask(({ signer }) =>
            signer.sign(asked).pipe(
              Effect.tap(({ hash, raw }) =>
                Effect.sync(() => void signings.push({ asked, askedAt, answeredAt: now(), hash, raw }))
              ),
              Effect.tapErrorTag("SigningRefused", () => Effect.sync(() => void open.delete(name)))
            )
          )
        })
    }
  }
}
