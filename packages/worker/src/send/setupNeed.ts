import type { SetupStep } from "@bursar/core/outbound/reserveSetup"
import type { SetupRole } from "@bursar/core/outbound/AccountSetup"
import type { AccountStanding } from "@bursar/core/port/ChainSender"

/** How accounts are set up. Amounts are base units of the network's own coin. */
export interface SetupLimits {
  /** Tenants looked at in one pass. */
  readonly tenantsPerPassMax: number
  /** Tenants looked at the same time. */
  readonly tenantsAtOnce: number
  /** What an account is given for network fees beside what it has to keep. */
  readonly forFees: bigint
  /** Below so much left for network fees an account other than the wallet is given more; so much the wallet keeps for its own. */
  readonly forFeesLeast: bigint
  /** Assets agreed to in one transaction. */
  readonly agreementsMax: number
  /** How long accounts are left alone that are all they have to be. */
  readonly readyMs: number
}

/** The limits of stellar: a coin is 10,000,000 units, and a transaction costs 100 on a quiet day, 1,000,000 at most. */
export const stellarSetup: SetupLimits = {
  tenantsPerPassMax: 50,
  tenantsAtOnce: 4,
  forFees: 10_000_000n,
  forFeesLeast: 2_000_000n,
  agreementsMax: 20,
  readyMs: 3_600_000
}

/** What an account lacks: nothing, a step from the wallet's means, or coin that somebody has to send to the wallet. */
export type SetupNeed =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Step"; readonly step: SetupStep }
  | { readonly _tag: "Coin"; readonly units: bigint }

const nothing: SetupNeed = { _tag: "Nothing" }

const give = (units: bigint): SetupNeed => ({ _tag: "Step", step: { _tag: "Give", units } })

const agree = (missing: ReadonlyArray<string>, { agreementsMax }: SetupLimits): SetupNeed => ({
  _tag: "Step",
  step: { _tag: "Agree", contracts: missing.slice(0, agreementsMax) }
})

/** What an account lacks, as the chain stands. `promised` is what open spends will still take from it. */
export const setupNeed = (
  role: SetupRole,
  { exists, keepsForItself, keepsPerAsset, missing, spendable }: AccountStanding,
  promised: bigint,
  limits: SetupLimits
): SetupNeed => {
  const { forFees, forFeesLeast } = limits
  const keeps = BigInt(missing.length) * keepsPerAsset
  switch (role) {
    case "PAYOUT": {
      const needed = (exists ? 0n : keepsForItself) + keeps + forFeesLeast
      if (exists && missing.length === 0) return nothing
      const free = spendable - promised
      return exists && free >= needed ? agree(missing, limits) : { _tag: "Coin", units: needed - free }
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
