import { Result } from "effect"
import { type ApiKey } from "../access/ApiKey.ts"
import type { IssuingAccount } from "../address/IssuingAccount.ts"
import { type Timestamp, toIso } from "../base/Timestamp.ts"
import { byVerification, type Destination, destinationState } from "../destination/Destination.ts"
import type { NetworkSwitch } from "../port/NetworkSwitches.ts"
import type { SigningKey, SigningKeyBinding } from "../signature/SigningKey.ts"
import { defaultPolicy, type Tenant } from "../tenant/Tenant.ts"
import type { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { canonicalText } from "./canonical.ts"
import { type KindAndValues, readValues, subjectOf } from "./GrantDocument.ts"
import { type FleetState, granted, grantedCoolingHours, type GrantState, type TenantState } from "./GrantState.ts"
import { apiKeyValues } from "./keysByGrants.ts"
import { policyValues } from "./PolicyValues.ts"

/** What the rows of a tenant say that grants are to say from now on. */
export interface TenantRows {
  readonly tenant: Tenant
  readonly apiKeys: ReadonlyArray<ApiKey>
  readonly signingKeys: ReadonlyArray<SigningKey>
  readonly destinations: ReadonlyArray<Destination>
  readonly wallets: ReadonlyArray<PayoutWallet>
  readonly issuingAccounts: ReadonlyArray<IssuingAccount>
  /**
   * Addresses of wallets, and keys of accounts, that are not known to be those of the keys that their rows name; and ids of API keys that are not
   * known to be as they were made; and API keys by their ids and signing keys by `signingKeyText` that were revoked before. Each with the reason.
   */
  readonly doubtful: ReadonlyMap<string, string>
}

/** A row that is not granted, and why. */
export interface LeftOut {
  /** Its kind and subject. */
  readonly what: string
  readonly reason: string
}

/** What is to be granted of some rows, in an order in which each part of it is safe without the rest, and what is not. */
export interface ImportedGrants {
  readonly contents: ReadonlyArray<KindAndValues>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** A row as a grant would say it, or why it may not. */
interface Candidate {
  readonly content: KindAndValues
  readonly problem?: string | undefined
}

const hoursMs = 3_600_000

/** Whether a grant says what a row says: from when on a destination receives was newly set when it was granted. */
const saysTheSame = (from: KindAndValues["values"], to: KindAndValues["values"]): boolean =>
  canonicalText({ ...from, usable_from: undefined, reason: undefined }) ===
  canonicalText({ ...to, usable_from: undefined, reason: undefined })

/** What a grant says in the place of a row. A policy of a version before it named the environment says too little to hold. */
const standing = (state: GrantState, content: KindAndValues): KindAndValues["values"] | undefined => {
  const there = granted(state, content.kind, subjectOf(content))
  return there?.document.kind === "policy" && there.document.values.environment === undefined
    ? undefined
    : there?.values
}

/** What a row says of the policy. One of another form, as a list that is none, is named: it is no reason to show nothing of the other rows. */
const policyIn = ({ tenant }: TenantRows): Candidate =>
  Result.match(
    Result.try(() => policyValues(tenant)),
    {
      onSuccess: (values): Candidate => ({ content: { kind: "policy", values } }),
      onFailure: (): Candidate => ({
        content: { kind: "policy", values: policyValues({ ...tenant, policy: defaultPolicy }) },
        problem: "its settings say what no grant can say"
      })
    }
  )

/** Which rows no grant speaks of yet. Where one says otherwise than its row, the grant holds: a row never takes its place. */
const ungranted = (state: GrantState, candidates: ReadonlyArray<Candidate>): ImportedGrants => {
  const contents: Array<KindAndValues> = []
  const leftOut: Array<LeftOut> = []
  for (const { content, problem } of candidates) {
    const there = standing(state, content)
    if (there !== undefined && saysTheSame(there, content.values)) continue
    const read = readValues(content)
    const reason =
      problem ??
      (there !== undefined ? "a grant says otherwise, and holds" : Result.isFailure(read) ? read.failure : undefined)
    if (reason === undefined) contents.push(content)
    else leftOut.push({ what: `${content.kind} ${subjectOf(content)}`, reason })
  }
  return { contents, leftOut }
}

/** The networks that operators have stopped, as grants of the fleet. */
export const importedNetworks = (fleet: FleetState, switches: ReadonlyArray<NetworkSwitch>): ImportedGrants =>
  ungranted(
    fleet,
    switches
      .filter(({ payoutsOff }) => payoutsOff)
      .map(({ network, reason }) => ({
        content: { kind: "network", values: { network, stopped: true, reason: reason ?? "" } }
      }))
  )

const suspensions = ({ tenant }: TenantRows): ReadonlyArray<Candidate> =>
  tenant.status === "SUSPENDED"
    ? [{ content: { kind: "suspension", values: { suspended: true, reason: "Suspended before." } } }]
    : []

/** A destination that receives, or will once its waiting time is over. No grant may name a time that has passed. */
const destinationsOf = (chain: TenantState, { destinations }: TenantRows, now: Timestamp): ReadonlyArray<Candidate> => {
  const earliest = now + grantedCoolingHours(chain) * hoursMs
  return destinations.toSorted(byVerification).flatMap((one): ReadonlyArray<Candidate> => {
    const state = destinationState(one, destinations, now)
    if (state === "REPLACED" || state === "REJECTED") return []
    const { address, currency, id, label, memo, network, usableFrom } = one
    const from = toIso(Math.max(usableFrom ?? now, earliest))
    const values = { id, currency, network, address, memo, label, usable_from: from, state: "ACTIVE" as const }
    const problem = state === "PROPOSED" ? "nobody has verified it" : undefined
    return [{ content: { kind: "destination", values }, problem }]
  })
}

/** A signing key as `doubtful` names it. */
export const signingKeyText = ({ apiKeyId, keyid }: SigningKeyBinding): string => `${apiKeyId} ${keyid}`

const signingKeysOf = ({ apiKeys, doubtful, signingKeys }: TenantRows, now: Timestamp): ReadonlyArray<Candidate> =>
  signingKeys
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ apiKeyId, keyid, publicKey }) => {
      const apiKey = apiKeys.find(({ id }) => id === apiKeyId)
      const isLive =
        apiKey !== undefined && apiKey.revokedAt === null && (apiKey.expiresAt === null || apiKey.expiresAt > now)
      return {
        content: {
          kind: "signing_key",
          values: { api_key_id: apiKeyId, keyid, public_key: publicKey, state: "ACTIVE" }
        },
        problem: isLive
          ? doubtful.get(signingKeyText({ apiKeyId, keyid }))
          : "its API key is revoked, has expired or is gone"
      }
    })

/** Those that open something. Which of them nobody has altered, the keyed hashes say: the service looks, and tells which are `doubtful`. */
const apiKeysOf = ({ apiKeys, doubtful, tenant }: TenantRows, now: Timestamp): ReadonlyArray<Candidate> =>
  apiKeys
    .filter(({ expiresAt, revokedAt }) => revokedAt === null && (expiresAt === null || expiresAt > now))
    .map((key) => ({
      content: { kind: "api_key", values: apiKeyValues({ key, tenant }) },
      problem: doubtful.get(key.id)
    }))

const walletsOf = ({ doubtful, wallets }: TenantRows): ReadonlyArray<Candidate> =>
  wallets.map(({ address, network, role }) => ({
    content: { kind: "payout_wallet", values: { network, role, address, state: "ACTIVE" } },
    problem: doubtful.get(address)
  }))

const accountsOf = ({ doubtful, issuingAccounts }: TenantRows): ReadonlyArray<Candidate> =>
  issuingAccounts.map(({ accountKey, family, seedId }) => ({
    content: {
      kind: "issuing_account",
      values: { family, seed_id: seedId, account_key: accountKey, state: "ACTIVE" }
    },
    problem: doubtful.get(accountKey)
  }))

/**
 * What is to be granted of a tenant's rows.
 *
 * **Details**
 *
 * The policy is last: without it nothing leaves, so that a tenant of whom only the first grants were appended pays nobody, and its destinations
 * keep receiving without waiting anew. A suspension is first.
 */
export const importedSettings = (chain: TenantState, rows: TenantRows, now: Timestamp): ImportedGrants =>
  rows.tenant.status === "CLOSED"
    ? { contents: [], leftOut: [{ what: "tenant", reason: "it is closed" }] }
    : ungranted(chain, [
        ...suspensions(rows),
        ...destinationsOf(chain, rows, now),
        ...apiKeysOf(rows, now),
        ...signingKeysOf(rows, now),
        ...walletsOf(rows),
        ...accountsOf(rows),
        policyIn(rows)
      ])
