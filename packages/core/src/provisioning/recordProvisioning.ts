import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { KeyFamily, Network } from "../money/Network.ts"
import { AccountProvisioning, provisioningKey, type ProvisioningRole } from "./AccountProvisioning.ts"
import { provisioningItem, provisioningQueue } from "../transaction/queues.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { IssuingAccount } from "../address/IssuingAccount.ts"

/** How an account of the service was found. */
export interface ProvisioningCheck {
  readonly address: string
  readonly role: ProvisioningRole
  readonly ready: boolean
  /** In words for operators; null where nothing is in the way. */
  readonly problem: string | null
  /** Whether the chain was asked, or it was found to be ready so lately that it needs not be. */
  readonly asked: boolean
}

/** How all accounts of a tenant on a network were found. */
export interface RecordProvisioning {
  readonly network: Network
  readonly family: KeyFamily
  readonly checks: ReadonlyArray<ProvisioningCheck>
  /** When to look again. */
  readonly nextAt: Timestamp
}

/**
 * Notes how the accounts of a tenant stand, and when to look again: at once, where an account was added since. Replies with what has
 * changed.
 */
export const recordProvisioning = ({
  family,
  checks,
  network,
  nextAt
}: RecordProvisioning): Command<ReadonlyArray<AccountProvisioning>> => ({
  name: "RecordProvisioning",
  reads: [
    readGroup(AccountProvisioning, network),
    readGroup(PayoutWallet, network),
    readRecord(IssuingAccount, family)
  ],
  decide: (view) => {
    const known = new Map(view.group(AccountProvisioning, network).map((one) => [provisioningKey(one), one]))
    const now = checks
      .filter(({ asked }) => asked)
      .map(({ address, problem, ready, role }): AccountProvisioning => {
        const before = known.get(provisioningKey({ network, address }))
        return {
          network,
          address,
          role,
          ready,
          transactionId: before?.transactionId ?? null,
          failures: ready ? 0 : (before?.failures ?? 0),
          problem,
          since: before?.ready === ready ? before.since : view.now,
          checkedAt: view.now
        }
      })
    const accounts = [
      ...view.group(PayoutWallet, network).map(({ address }) => address),
      view.get(IssuingAccount, family)?.accountKey ?? []
    ].flat()
    const missed = accounts.some((address) => !checks.some((check) => check.address === address))
    const changed = now.filter((one) => {
      const before = known.get(provisioningKey(one))
      return before?.ready !== one.ready || before.problem !== one.problem
    })
    return Result.succeed({
      changes: [
        ...now.map((one) => putRecord(AccountProvisioning, one)),
        schedule(provisioningQueue(network), provisioningItem, missed ? view.now : nextAt)
      ],
      reply: changed
    })
  }
})
