import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import type { Ahead, Entry, LackTold, RecordLeft, Restored, Signed, SpentRequest } from "./Entry.ts"
import { makePaidCounter } from "./paidCounter.ts"
import { makePerDayCounter } from "./perDayCounter.ts"
import { hashKey, sameNames, shares } from "./names.ts"

/** What is remembered of a signature without reading the store. */
export interface Remembered {
  readonly tenantId: string
  readonly network: string
  readonly hash: string
  readonly unsigned: string
  readonly uses: ReadonlyArray<string>
  readonly validUntil: number | null
  readonly keys: ReadonlyArray<string>
  /** Where it stands in the store. */
  readonly offset: number
}

/** A request that a transaction is to answer to. */
export interface Asked {
  readonly key: string
  readonly digest: string
  /** The digest of all that the partner signed. */
  readonly text: string
  /** When the partner signed it, in milliseconds. */
  readonly created: number
}

/** A transaction that is to be signed. */
export interface Candidate {
  readonly network: string
  readonly unsigned: string
  /** What it has in common with every other order whose signatures would fit it; undefined where none does. */
  readonly twin?: string | undefined
  readonly uses: ReadonlyArray<string>
  readonly requests: ReadonlyArray<Asked>
  /** The hashes that the service has; absent where it does not say. */
  readonly known?: ReadonlyArray<string>
}

/** Whose signatures are looked for. */
export interface Sought {
  readonly tenantId: string
  readonly network: string
  readonly uses: ReadonlyArray<string>
  /** The keys of requests. */
  readonly keys: ReadonlyArray<string>
}

/** What the memory says of a transaction. */
export type Verdict =
  /** It excludes every transaction that was signed for its requests and is not void. For those that are `fresh` none is in time either. */
  | { readonly _tag: "Free"; readonly fresh: ReadonlyArray<string> }
  /** The answer that was given is given again. */
  | { readonly _tag: "Answered"; readonly by: Remembered }
  /** It may be signed once it is proven that none of these takes effect. */
  | { readonly _tag: "Unproven"; readonly earlier: ReadonlyArray<Remembered> }
  | { readonly _tag: "Refused"; readonly reason: string }

/** The counters of a tenant, the highest that were seen. */
export type Progress = Signed["progress"]

/** The last grant of a chain that was verified. */
export interface KeptHead {
  readonly number: number
  readonly hash: string
}

/** What a tenant shows of a database that was rolled back. */
export const tenantBehind = (tenantId: string): string => `tenant ${tenantId} had come further`

/** That the database was seen to be older than it had been, and by what. */
export interface RollbackSeen {
  readonly at: number
  readonly what: string
}

/** How far the clock of a partner may be off: a request that was signed for may say that much later than it was. */
const skewMs = 60_000

const higher = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/**
 * What the signer remembers, in memory: which requests were signed for, by which transactions, and how much was paid. It is built from
 * the entries of the store and changed by the same entries.
 */
export const makeRegister = () => {
  const byKey = new Map<string, { readonly digest: string; readonly signed: Array<Remembered> }>()
  /** The keys of requests, by the digest of all that was signed. */
  const byText = new Map<string, string>()
  const byHash = new Set<string>()
  const byUse = new Map<string, Array<Remembered>>()
  /** What was signed for no request, by its unsigned bytes. */
  const byOwnBytes = new Map<string, Remembered>()
  /** The unsigned bytes of what was signed, by the twin. */
  const byTwin = new Map<string, string>()
  const voided = new Set<string>()
  const adopted = new Set<string>()
  /** What the database had as signed at a time to come when the store began. */
  const ahead = new Set<string>()
  const topUps = makePerDayCounter(({ topUps: count = 0 }) => BigInt(count))
  const ownFees = makePerDayCounter(({ feeMax = 0n, requests }) => (requests.length === 0 ? feeMax : 0n))
  const progress = new Map<string, Progress>()
  const grantHeads = new Map<string | null, KeptHead>()
  /** The chains whose ends a person has taken as they are, and that were not verified since. */
  const takenChains = new Set<string | null>()
  /** When grants that have to be known for a while were first seen, by their hashes. */
  const grantsSeen = new Map<string, number>()
  let watchesGrants = false
  let followsGrants = false
  let auditSeal: AuditSeal | undefined
  let recordLeft: RecordLeft | undefined
  const masterKeyChecks = new Map<string, string>()
  let requestsFrom = 0
  let rolledBack: RollbackSeen | undefined
  let restorations = 0
  let lackTold: LackTold | undefined

  /** The transactions that were signed for a request and are not void. */
  const living = (key: string): ReadonlyArray<Remembered> =>
    (byKey.get(key)?.signed ?? []).filter(({ hash, network }) => !voided.has(hashKey(network, hash)))

  const paid = makePaidCounter(living)

  const see = (tenantId: string, now: Progress) => {
    const before = progress.get(tenantId)
    progress.set(
      tenantId,
      before === undefined
        ? now
        : {
            changeSeq: higher(before.changeSeq, now.changeSeq),
            eventId: higher(before.eventId, now.eventId),
            postingSeq: higher(before.postingSeq, now.postingSeq)
          }
    )
  }

  const spend = ({ key, text }: SpentRequest) => {
    if (text !== undefined) byText.set(text, key)
  }

  const seeAhead = (signatures: typeof Ahead.Type.signatures) => {
    for (const { hash, network } of signatures) ahead.add(hashKey(network, hash))
  }

  const remember = (entry: Signed, offset: number) => {
    const { hash, network, uses, validUntil } = entry
    const keys = entry.requests.map(({ key }) => key)
    const { tenantId, twin, unsigned } = entry
    const remembered: Remembered = { tenantId, network, hash, unsigned, uses, validUntil, keys, offset }
    byHash.add(hashKey(network, hash))
    if (keys.length === 0) byOwnBytes.set(hashKey(network, unsigned), remembered)
    if (twin !== undefined) byTwin.set(hashKey(network, twin), unsigned)
    for (const use of uses) {
      const users = byUse.get(hashKey(network, use))
      if (users === undefined) byUse.set(hashKey(network, use), [remembered])
      else users.push(remembered)
    }
    for (const request of entry.requests) {
      const { digest, key } = request
      spend(request)
      const known = byKey.get(key)
      if (known === undefined) byKey.set(key, { digest, signed: [remembered] })
      else known.signed.push(remembered)
    }
    paid.add(entry)
    topUps.add(entry)
    ownFees.add(entry)
    see(entry.tenantId, entry.progress)
  }

  const restore = ({ chains, ends = [], progress: givenUp, recordLeft: left, sealLost }: Restored) => {
    rolledBack = undefined
    lackTold = undefined
    restorations += 1
    for (const { now, tenantId } of givenUp)
      if (now === null) progress.delete(tenantId)
      else progress.set(tenantId, now)
    for (const chain of chains) {
      const end = ends.find(({ tenantId }) => tenantId === chain)
      // without one of no grant, and not unknown: it is still remembered that there were grants
      grantHeads.set(chain, { number: end?.number ?? 0, hash: end?.hash ?? "" })
      takenChains.add(chain)
    }
    if (!sealLost) return
    auditSeal = undefined
    recordLeft = left
  }

  /**
   * Whether a transaction was signed for a request, and is in time to take effect. One that has expired may have: so it has to be excluded
   * or void, but what takes its place is judged and counted as the first.
   */
  const mayTakeEffect = (key: string, now: number): boolean =>
    living(key).some(({ validUntil }) => validUntil === null || now < validUntil)

  const objection = ({ network, requests, twin, unsigned }: Candidate): string | undefined => {
    if (twin !== undefined && (byTwin.get(hashKey(network, twin)) ?? unsigned) !== unsigned)
      return "the same transaction was signed before, and other amounts were said of what it spends"
    if (new Set(requests.map(({ key }) => key)).size < requests.length) return "one request is to be paid twice"
    for (const { created, digest, key, text } of requests) {
      // nothing that a partner signs names its tenant: with one key for several, a request would be paid by each of them
      if ((byText.get(text) ?? key) !== key) return "the request was signed for before, for another tenant"
      if (adopted.has(key)) return "the request was signed for before the signer's store began"
      const known = byKey.get(key)
      if (known !== undefined && known.digest !== digest)
        return "the idempotency key of the request was signed with another body before"
      if (known === undefined && created <= requestsFrom + skewMs)
        return "the request was made before the signer's store was recovered: cancel the payout, and let the partner ask again"
    }
    return undefined
  }

  const judge = (candidate: Candidate, now: number): Verdict => {
    const { known, requests, unsigned, uses } = candidate
    const refused = objection(candidate)
    if (refused !== undefined) return { _tag: "Refused", reason: refused }
    const earlier = [...new Set(requests.flatMap(({ key }) => living(key)))]
    const same = earlier.find((one) => one.unsigned === unsigned && one.network === candidate.network)
    if (same !== undefined) return { _tag: "Answered", by: same }
    const lost = known && earlier.find((one) => shares(one.uses, uses) && !known.includes(one.hash))
    if (lost !== undefined)
      return {
        _tag: "Refused",
        reason: `a request of it was signed for in ${lost.hash}, which the service does not have`
      }
    const fresh = requests.filter(({ key }) => !mayTakeEffect(key, now)).map(({ key }) => key)
    const open = earlier.filter((one) => one.network !== candidate.network || !shares(one.uses, uses))
    if (open.length === 0) return { _tag: "Free", fresh }
    const [first] = open
    const keys = requests.map(({ key }) => key)
    // what excludes nothing is made anew after every crash: the answer that was lost is the only one there is
    const isOnly = first !== undefined && open.length === 1 && uses.length === 0 && sameNames(first.keys, keys)
    if (isOnly && first.uses.length === 0 && now < (first.validUntil ?? Infinity))
      return { _tag: "Answered", by: first }
    if (open.every(({ validUntil }) => validUntil !== null)) return { _tag: "Unproven", earlier: open }
    return {
      _tag: "Refused",
      reason: `a request of it was signed for in ${open.map(({ hash }) => hash).join(", ")}, which it does not replace`
    }
  }

  return {
    add: (entry: Entry, offset: number): void => {
      if (entry._tag === "Signed") remember(entry, offset)
      else if (entry._tag === "Adopted")
        for (const request of entry.requests) {
          adopted.add(request.key)
          spend(request)
        }
      else if (entry._tag === "GrantHead") {
        grantHeads.set(entry.tenantId, { number: entry.number, hash: entry.hash })
        takenChains.delete(entry.tenantId)
        for (const hash of entry.cooling?.hashes ?? []) grantsSeen.set(hash, entry.cooling?.seenAt ?? 0)
      } else if (entry._tag === "GrantsWatched") watchesGrants = true
      else if (entry._tag === "GrantsFollowed") followsGrants = true
      else if (entry._tag === "AuditSealed") {
        const { _tag, ...seal } = entry
        auditSeal = seal
        // a seal covers so many records at most, and one that was there before covers less
        if (recordLeft !== undefined && seal.toId >= recordLeft.id) recordLeft = undefined
      } else if (entry._tag === "MasterKeyKnown") masterKeyChecks.set(entry.keyId, entry.check)
      else if (entry._tag === "RolledBack")
        rolledBack ??= { at: entry.at, what: entry.what ?? tenantBehind(entry.tenantId ?? "") }
      else if (entry._tag === "LackTold") lackTold = entry
      else if (entry._tag === "Restored") restore(entry)
      else if (entry._tag === "Voided") {
        const key = hashKey(entry.network, entry.hash)
        voided.add(key)
        paid.takeBack(key)
      } else if (entry._tag === "Ahead") seeAhead(entry.signatures)
      else {
        requestsFrom = Math.max(requestsFrom, entry.requestsFrom)
        seeAhead(entry.ahead ?? [])
      }
    },
    judge,
    /** What was signed and may still take effect, oldest first, of all that uses up the same or answers to one of the requests. */
    earlier: ({ keys, network, tenantId, uses }: Sought): ReadonlyArray<Remembered> => {
      const users = uses.flatMap((use) => byUse.get(hashKey(network, use)) ?? [])
      return [...new Set([...users, ...keys.flatMap(living)])]
        .filter(
          (one) => one.network === network && one.tenantId === tenantId && !voided.has(hashKey(network, one.hash))
        )
        .toSorted((one, other) => one.offset - other.offset)
    },
    mayTakeEffect,
    /** What was signed for no request with these very bytes. */
    signedForNone: ({ network, unsigned }: Pick<Candidate, "network" | "unsigned">): Remembered | undefined =>
      byOwnBytes.get(hashKey(network, unsigned)),
    /** How many addresses were given coin for fees since a moment, but for a transaction that uses up the same. */
    toppedUpSince: topUps.since,
    /** The most that transactions cost that pay nobody else, since a moment, but for one that uses up the same. */
    ownFeesSince: ownFees.since,
    /** The last grant of a chain that was verified, or with which a person has taken it; null for the chain of the fleet. */
    grantHeadOf: (tenantId: string | null): KeptHead | undefined => grantHeads.get(tenantId),
    /** How many grants of a chain were seen. Of one that a person has taken as it is none count, until it was verified: waiting times begin anew. */
    grantsSeenOn: (tenantId: string | null): number =>
      takenChains.has(tenantId) ? 0 : (grantHeads.get(tenantId)?.number ?? 0),
    /** Whether the end of any chain of grants is remembered. */
    hasGrantHeads: (): boolean => grantHeads.size > 0,
    /** Whether the signer has gone by grants, and not by rows; it may have verified no chain yet. A store from before that was remembered says it by its chains. */
    wentByGrants: (): boolean => followsGrants || grantHeads.size > 0,
    /** When a grant that has to be known for a while was first seen; undefined where it was there before chains were watched. */
    grantSeenAt: (hash: string): number | undefined => grantsSeen.get(hash),
    /** Whether a grant that is new on a chain is seen for the first time. */
    watchesGrants: (): boolean => watchesGrants,
    /** The newest seal of the log of operators' actions. */
    auditSeal: (): AuditSeal | undefined => auditSeal,
    /** The last record with which a person has taken the log of operators' actions; undefined once a seal covers it. */
    recordLeft: (): RecordLeft | undefined => recordLeft,
    /** What the master key with an id gave at the first start with it; undefined where none was taken for known. */
    masterKeyCheckOf: (keyId: string): string | undefined => masterKeyChecks.get(keyId),
    /** Whether a transaction was signed by this signer. */
    knows: (network: string, hash: string): boolean => byHash.has(hashKey(network, hash)),
    /** Whether a transaction was there when the store began, and said a time to come: whatever time it says, it shows nothing. */
    wasAhead: (network: string, hash: string): boolean => ahead.has(hashKey(network, hash)),
    /** What first showed that the database was rolled back; undefined where nothing did since it was last restored. */
    rolledBack: (): RollbackSeen | undefined => rolledBack,
    /** What a person was told last that the database lacks; undefined where nothing was since it was last restored. */
    lackTold: (): LackTold | undefined => lackTold,
    /** How often a person has said that the database was restored. */
    restorations: (): number => restorations,
    /** The highest counters of a tenant that were seen. */
    progressOf: (tenantId: string): Progress | undefined => progress.get(tenantId),
    /** The highest counters that were seen, of all tenants. */
    progressOfAll: (): ReadonlyMap<string, Progress> => progress,
    /** The chains of grants whose ends are remembered, each by its tenant; null for the fleet. */
    grantHeads: (): ReadonlyMap<string | null, KeptHead> => grantHeads,
    see,
    paidSince: paid.since
  }
}

/** What the signer remembers, in memory. */
export type Register = ReturnType<typeof makeRegister>
