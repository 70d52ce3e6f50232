import { Result } from "effect"
import { familyOf } from "../address/KeyFamily.ts"
import { schedule } from "../engine/Agenda.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup } from "../engine/Records.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import { type AccountSetup, setupKey, type SetupRole } from "./AccountSetup.ts"
import { setupItem, setupTopic } from "./sendTopic.ts"

/** How an account of the service was found. */
export interface SetupLook {
  readonly address: string
  readonly role: SetupRole
  readonly ready: boolean
  /** In words for operators; null where nothing is in the way. */
  readonly problem: string | null
  /** Whether the chain was asked, or it was found to be ready so lately that it needs not be. */
  readonly asked: boolean
}

/** How all accounts of a tenant on a network were found. */
export interface NoteSetup {
  readonly network: Network
  readonly looks: ReadonlyArray<SetupLook>
  /** When to look again. */
  readonly nextAt: Timestamp
}

/**
 * Notes how the accounts of a tenant stand, and when to look again: at once, where an account was added since. Replies with what has
 * changed.
 */
export const noteSetup = ({ looks, network, nextAt }: NoteSetup): Command<ReadonlyArray<AccountSetup>> => ({
  name: "NoteSetup",
  reads: [
    readGroup("AccountSetup", network),
    readGroup("PayoutWallet", network),
    { _tag: "IssuingAccount", family: familyOf(network) }
  ],
  decide: (view) => {
    const known = new Map(view.recordGroup("AccountSetup", network).map((one) => [setupKey(one), one]))
    const now = looks
      .filter(({ asked }) => asked)
      .map(({ address, problem, ready, role }): AccountSetup => {
        const before = known.get(setupKey({ network, address }))
        return {
          network,
          address,
          role,
          ready,
          spendId: before?.spendId ?? null,
          failures: ready ? 0 : (before?.failures ?? 0),
          problem,
          since: before?.ready === ready ? before.since : view.now,
          lookedAt: view.now
        }
      })
    const accounts = [
      ...view.recordGroup("PayoutWallet", network).map(({ address }) => address),
      view.issuingAccount(familyOf(network))?.accountKey ?? []
    ].flat()
    const missed = accounts.some((address) => !looks.some((look) => look.address === address))
    const changed = now.filter((one) => {
      const before = known.get(setupKey(one))
      return before?.ready !== one.ready || before.problem !== one.problem
    })
    return Result.succeed({
      changes: [
        ...now.map((one) => putRecord("AccountSetup", one)),
        schedule(setupTopic(network), setupItem, missed ? view.now : nextAt)
      ],
      reply: changed
    })
  }
})
