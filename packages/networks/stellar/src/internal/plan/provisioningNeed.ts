import type { ProvisionedAccount, ProvisioningNeed } from "@bursar/core/port/TransactionPlanner"

/** How an account stands in the newest ledger. */
export interface AccountState {
  /** Whether there is such an account. Where there is none, it has no trustlines and can spend nothing. */
  readonly exists: boolean
  /** Those of the assets asked about that it has no trustline for, and could agree to hold. */
  readonly missing: ReadonlyArray<string>
  /** Those that it has no trustline for and that nobody can agree to hold: their issuer is not there. None where absent. */
  readonly unissued?: ReadonlyArray<string>
  /** What it can spend of the native asset beyond what it must keep, in stroops. */
  readonly spendable: bigint
  /** What an account must keep for itself, in stroops: the least that creates one. */
  readonly keepsForItself: bigint
  /** What it must keep for each further trustline. */
  readonly keepsPerAsset: bigint
}

/** What accounts are given. Amounts are stroops: 10,000,000 are a lumen, and a transaction costs 100 on a quiet day, 1,000,000 at most. */
export interface ProvisioningAmounts {
  /** What an account is given for network fees beside what it must keep. */
  readonly forFees: bigint
  /** Below so much left for network fees an account other than the wallet is given more; so much the wallet keeps for its own. */
  readonly forFeesLeast: bigint
  /** Trustlines added in one transaction. */
  readonly trustlinesMax: number
}

/** What accounts are given where nothing else is said. */
export const provisioningAmounts: ProvisioningAmounts = {
  forFees: 10_000_000n,
  forFeesLeast: 2_000_000n,
  trustlinesMax: 20
}

const nothing: ProvisioningNeed = { _tag: "Nothing" }

const give = (units: bigint): ProvisioningNeed => ({ _tag: "Step", step: { _tag: "Fund", units } })

const trust = (missing: ReadonlyArray<string>, { trustlinesMax }: ProvisioningAmounts): ProvisioningNeed => ({
  _tag: "Step",
  step: { _tag: "Trust", contracts: missing.slice(0, trustlinesMax) }
})

/** What an account lacks. `promised` is what open transactions will still take from it. Pure. */
export const provisioningNeed = (
  role: ProvisionedAccount["role"],
  { exists, keepsForItself, keepsPerAsset, missing, spendable }: AccountState,
  promised: bigint,
  amounts: ProvisioningAmounts
): ProvisioningNeed => {
  const { forFees, forFeesLeast } = amounts
  const keeps = BigInt(missing.length) * keepsPerAsset
  switch (role) {
    case "PAYOUT": {
      const needed = (exists ? 0n : keepsForItself) + keeps + forFeesLeast
      if (exists && missing.length === 0) return nothing
      const free = spendable - promised
      return exists && free >= needed ? trust(missing, amounts) : { _tag: "Native", units: needed - free }
    }
    case "CHANNEL":
      // its payments are another's: it lends its sequence, pays the fees, and holds no asset
      if (!exists) return give(keepsForItself + forFees)
      return spendable < forFeesLeast ? give(forFees - spendable) : nothing
    case "ISSUING":
      if (!exists) return give(keepsForItself + keeps + forFees)
      // what is swept from it is paid for by itself
      if (missing.length === 0) return spendable < forFeesLeast ? give(forFees - spendable) : nothing
      return spendable < keeps ? give(keeps - spendable) : trust(missing, amounts)
  }
}
