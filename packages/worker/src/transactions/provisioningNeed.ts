import type { ProvisioningStep } from "@bursar/core/sending/reserveProvisioning"
import type { ProvisioningRole } from "@bursar/core/transaction/AccountProvisioning"
import type { AccountState } from "@bursar/core/port/ChainSender"

/** How accounts are set up. Amounts are base units of the native asset. */
export interface ProvisioningLimits {
  /** Tenants looked at in one pass. */
  readonly tenantsPerPassMax: number
  /** Tenants looked at the same time. */
  readonly tenantsAtOnce: number
  /** What an account is given for network fees beside what it has to keep. */
  readonly forFees: bigint
  /** Below so much left for network fees an account other than the wallet is given more; so much the wallet keeps for its own. */
  readonly forFeesLeast: bigint
  /** Assets agreed to in one transaction. */
  readonly trustlinesMax: number
  /** How long accounts are left alone that are all they have to be. */
  readonly readyMs: number
}

/** The limits of stellar: a lumen is 10,000,000 units, and a transaction costs 100 on a quiet day, 1,000,000 at most. */
export const stellarProvisioning: ProvisioningLimits = {
  tenantsPerPassMax: 50,
  tenantsAtOnce: 4,
  forFees: 10_000_000n,
  forFeesLeast: 2_000_000n,
  trustlinesMax: 20,
  readyMs: 3_600_000
}

/** What an account lacks: nothing, a step from the wallet's means, or coin that somebody has to send to the wallet. */
export type ProvisioningNeed =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Step"; readonly step: ProvisioningStep }
  | { readonly _tag: "Native"; readonly units: bigint }

const nothing: ProvisioningNeed = { _tag: "Nothing" }

const give = (units: bigint): ProvisioningNeed => ({ _tag: "Step", step: { _tag: "Fund", units } })

const agree = (missing: ReadonlyArray<string>, { trustlinesMax }: ProvisioningLimits): ProvisioningNeed => ({
  _tag: "Step",
  step: { _tag: "Trust", contracts: missing.slice(0, trustlinesMax) }
})

/** What an account lacks, as the chain stands. `promised` is what open outbound transactions will still take from it. */
export const provisioningNeed = (
  role: ProvisioningRole,
  { exists, keepsForItself, keepsPerAsset, missing, spendable }: AccountState,
  promised: bigint,
  limits: ProvisioningLimits
): ProvisioningNeed => {
  const { forFees, forFeesLeast } = limits
  const keeps = BigInt(missing.length) * keepsPerAsset
  switch (role) {
    case "PAYOUT": {
      const needed = (exists ? 0n : keepsForItself) + keeps + forFeesLeast
      if (exists && missing.length === 0) return nothing
      const free = spendable - promised
      return exists && free >= needed ? agree(missing, limits) : { _tag: "Native", units: needed - free }
    }
    case "CHANNEL":
      // its payments are another's: it lends its numbers, pays the fees, and holds no asset
      if (!exists) return give(keepsForItself + forFees)
      return spendable < forFeesLeast ? give(forFees - spendable) : nothing
    case "ISSUING":
      if (!exists) return give(keepsForItself + keeps + forFees)
      // what is swept from it is paid for by itself
      if (missing.length === 0) return spendable < forFeesLeast ? give(forFees - spendable) : nothing
      return spendable < keeps ? give(keeps - spendable) : agree(missing, limits)
  }
}
