import { type Account, authImmutable, authRequired, authRevocable, subentries } from "../Account.ts"
import type { JsonObject } from "../json.ts"
import { assetJson } from "../operations/balances.ts"
import { textOf } from "../units.ts"
import { link, pagedLink, timeText } from "./links.ts"

/** An account as Horizon writes it. */
export const accountJson = (base: string, account: Account): JsonObject => {
  const self = `${base}/accounts/${account.id}`
  const { thresholds } = account
  return {
    _links: {
      self: link(self),
      transactions: pagedLink(`${self}/transactions`),
      operations: pagedLink(`${self}/operations`),
      payments: pagedLink(`${self}/payments`),
      effects: pagedLink(`${self}/effects`),
      offers: pagedLink(`${self}/offers`),
      trades: pagedLink(`${self}/trades`),
      data: { href: `${self}/data/{key}`, templated: true }
    },
    id: account.id,
    account_id: account.id,
    sequence: account.sequence.toString(),
    sequence_ledger: account.sequenceAt?.ledger,
    sequence_time: account.sequenceAt === undefined ? undefined : String(account.sequenceAt.time),
    subentry_count: subentries(account),
    home_domain: account.homeDomain === "" ? undefined : account.homeDomain,
    last_modified_ledger: account.modified.ledger,
    last_modified_time: timeText(account.modified.time),
    thresholds: {
      low_threshold: thresholds.low,
      med_threshold: thresholds.medium,
      high_threshold: thresholds.high
    },
    flags: {
      auth_required: (account.flags & authRequired) !== 0,
      auth_revocable: (account.flags & authRevocable) !== 0,
      auth_immutable: (account.flags & authImmutable) !== 0,
      auth_clawback_enabled: false
    },
    balances: [
      ...[...account.trustlines].map(([asset, line]) => ({
        balance: textOf(line.balance),
        limit: textOf(line.limit),
        buying_liabilities: "0.0000000",
        selling_liabilities: "0.0000000",
        last_modified_ledger: line.modified,
        is_authorized: line.authorized,
        is_authorized_to_maintain_liabilities: line.authorized,
        is_clawback_enabled: false,
        ...assetJson(asset)
      })),
      {
        balance: textOf(account.balance),
        buying_liabilities: "0.0000000",
        selling_liabilities: "0.0000000",
        asset_type: "native"
      }
    ],
    signers: [...account.signers, [account.id, thresholds.master] as const].map(([key, weight]) => ({
      weight,
      key,
      type: "ed25519_public_key"
    })),
    data: Object.fromEntries([...account.data].map(([name, value]) => [name, Buffer.from(value).toString("base64")])),
    num_sponsoring: 0,
    num_sponsored: 0,
    paging_token: account.id
  }
}
