import { Exit, Result } from "effect"
import type { Event } from "../event/Event.ts"
import { type Account, balanceKey } from "../ledger/Account.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import { post } from "../ledger/post.ts"
import type { Change } from "./Change.ts"
import type { Command } from "./Command.ts"
import { countChanges } from "./countChanges.ts"
import type { DirectoryLoaded } from "./Directory.ts"
import { DirectoryOverlay } from "./DirectoryOverlay.ts"
import { jobAfter, type JobEntry } from "./JobEntry.ts"
import { Overlay } from "./Overlay.ts"
import type { ReadSet } from "./Read.ts"
import { RecordOverlay, type RecordsLoaded } from "./RecordOverlay.ts"
import type { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { StorageError } from "./StorageError.ts"
import { unstorableIn } from "./unstorableIn.ts"
import type { View } from "./View.ts"
import type { Head, WriteSet } from "./WriteSet.ts"

/** What an adapter found of a read-set. What is not in a map is not there. */
export interface Loaded extends DirectoryLoaded, RecordsLoaded {
  readonly head: Head
  /** By `balanceKey`. */
  readonly balances: ReadonlyMap<string, Balance>
}

/** What a batch takes from outside: the present moment and a source of UUIDv7. */
export interface CommitContext {
  readonly now: Timestamp
  readonly newId: () => string
  /**
   * The moment of a batch that follows on the tenant's last change, which was at `lastAt`: later than that, or the same where no time has passed since.
   * Where it is left out, it is the later of `now` and `lastAt`.
   */
  readonly momentAfter?: (lastAt: Timestamp) => Timestamp
}

/** The outcome of a batch: one exit per command, in order, and what to write. A defect is a bug of that one command. */
export interface BatchOutcome {
  readonly replies: ReadonlyArray<Exit.Exit<unknown, Refusal | StorageError>>
  readonly writes: WriteSet
}

const knownChanges: Readonly<Record<Change["_tag"], true>> = {
  AddressClaimed: true,
  AddressFreed: true,
  EventEmitted: true,
  KeysClaimed: true,
  Posted: true,
  RecordPut: true,
  Scheduled: true,
  TenantPut: true
}

/** The state of one batch while its commands run in order. */
class Batch {
  private readonly now: Timestamp
  private readonly newId: () => string
  private head: Head
  private tenantChanged = false
  private readonly balances: Overlay<string, Balance>
  private readonly directory: DirectoryOverlay
  private readonly records: RecordOverlay
  private readonly jobs = new Map<string, JobEntry>()
  private readonly legs: Array<PostedLeg> = []
  private readonly events: Array<Event> = []

  constructor(reads: ReadSet, loaded: Loaded, context: CommitContext) {
    this.head = loaded.head
    const { lastAt, tenant } = loaded.head
    this.now = context.momentAfter?.(lastAt) ?? Math.max(context.now, lastAt, tenant.createdAt)
    this.newId = context.newId
    this.balances = new Overlay("balance", reads.balances, loaded.balances)
    this.directory = new DirectoryOverlay(loaded.head.tenant.id, reads, loaded)
    this.records = new RecordOverlay(reads, loaded, this.directory.named)
  }

  private readonly balance = (account: Account, currency: string): Balance =>
    this.balances.get(balanceKey(account, currency)) ?? { account, currency, units: 0n, version: 0 }

  /** The view of the next command, with counters of its own: what counts is what its changes use. */
  view(): View {
    const taken = { changeSeq: this.head.changeSeq, eventId: this.head.eventId }
    return {
      now: this.now,
      tenant: this.head.tenant,
      newId: this.newId,
      nextChangeSeq: () => ++taken.changeSeq,
      nextEventId: () => ++taken.eventId,
      balance: this.balance,
      get: (of, key) => this.records.get(of, key),
      group: (of, group) => this.records.group(of, group),
      newest: (of, group) => this.records.newest(of, group),
      fact: (of, key) => this.records.fact(of, key),
      addressOwner: (network, address) => this.directory.address(network, address),
      keyOwner: (key) => this.directory.key(key)
    }
  }

  /**
   * Applies a command's changes. Kinds, counters, postings and where records belong are checked first, so that a bug in them leaves
   * the batch as it was, and nothing of what a command decided is left out.
   */
  apply(changes: ReadonlyArray<Change>): void {
    for (const { _tag } of changes)
      if (!Object.hasOwn(knownChanges, _tag)) throw new Error(`a change is of no known kind: ${_tag}`)
    const placed = this.records.place(
      changes.filter((change) => change._tag === "RecordPut"),
      this.now
    )
    const counted = countChanges(changes, this.head)
    const legs: Array<PostedLeg> = []
    const balances = new Map<string, Balance>()
    let postingSeq = this.head.postingSeq
    for (const change of changes) {
      if (change._tag !== "Posted") continue
      postingSeq += 1
      const posted = post(
        change.legs,
        (account, currency) => balances.get(balanceKey(account, currency)) ?? this.balance(account, currency),
        {
          operationId: change.operationId,
          postingSeq,
          postedAt: this.now,
          mayOverdraw: change.mayOverdraw === true,
          happened: change.happened === true
        }
      )
      for (const { account, balance, currency, version } of posted) {
        balances.set(balanceKey(account, currency), { account, currency, units: balance, version })
      }
      legs.push(...posted)
    }
    this.legs.push(...legs)
    for (const [key, balance] of balances) this.balances.set(key, balance)
    for (const one of placed) this.records.put(one)
    for (const change of changes) this.put(change)
    this.head = { ...this.head, ...counted, postingSeq, lastAt: this.now }
  }

  private put(change: Change): void {
    switch (change._tag) {
      case "Posted":
      case "RecordPut":
        return
      case "AddressClaimed":
      case "AddressFreed":
      case "KeysClaimed":
        return this.directory.apply(change)
      case "EventEmitted":
        this.events.push(change.event)
        return
      case "Scheduled": {
        const { _tag, ...entry } = change
        const place = `${entry.queue}|${entry.key}`
        this.jobs.set(place, jobAfter(this.jobs.get(place), entry))
        return
      }
      case "TenantPut":
        this.head = { ...this.head, tenant: change.tenant }
        this.tenantChanged = true
        return
    }
  }

  writes(): WriteSet {
    return {
      tenantId: this.head.tenant.id,
      head: this.head,
      tenant: this.tenantChanged ? this.head.tenant : undefined,
      legs: this.legs,
      balances: this.balances.values(),
      events: this.events,
      records: this.records.writes(),
      jobs: [...this.jobs.values()],
      ...this.directory.writes()
    }
  }
}

/**
 * Runs commands in order over what was loaded of one tenant, each seeing the changes of those before it. A refusal
 * refuses one command, a bug in a decider fails one command, and so does a text that no store can hold; the others of
 * the batch go on. Pure.
 */
export const runBatch = (
  commands: ReadonlyArray<Command<unknown>>,
  reads: ReadSet,
  loaded: Loaded,
  context: CommitContext
): BatchOutcome => {
  const batch = new Batch(reads, loaded, context)
  const replies = commands.map((command): Exit.Exit<unknown, Refusal | StorageError> => {
    try {
      const decided = command.decide(batch.view())
      if (Result.isFailure(decided)) return Exit.fail(decided.failure)
      const unstorable = unstorableIn(decided.success.changes)
      if (unstorable !== undefined)
        return Exit.fail(
          new StorageError({
            doing: `write what ${command.name} decides`,
            cause: new Error(unstorable),
            unstorable: true
          })
        )
      batch.apply(decided.success.changes)
      return Exit.succeed(decided.success.reply)
    } catch (defect) {
      return Exit.die(defect)
    }
  })
  return { replies, writes: batch.writes() }
}
