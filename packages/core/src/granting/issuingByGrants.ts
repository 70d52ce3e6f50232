import { Result } from "effect"
import type { IssuingAccount } from "../address/IssuingAccount.ts"
import { activeWallets, granted, grantedAccountKey } from "../grant/GrantState.ts"
import type { Ruling } from "../grant/Ruling.ts"
import { chainsObjection } from "../grant/signingByGrants.ts"
import type { KeyFamily } from "../money/Network.ts"
import type { PayoutWallet } from "../transaction/PayoutWallet.ts"

/** Which account of which seed. */
type Account = Pick<IssuingAccount, "seedId" | "accountKey">

/** By which account an address is judged. */
export interface JudgedAccount {
  readonly family: KeyFamily
  readonly seedId: string
  /** The account as its row says it, where there is one. */
  readonly stored: Account | undefined
}

/**
 * The key of the account that addresses of a seed must follow from, or why there is none. Grants say it; where the process has no root, the
 * stored account does.
 */
export const accountByGrants = (
  ruling: Ruling,
  { family, seedId, stored }: JudgedAccount
): Result.Result<string, string> => {
  if (ruling === undefined)
    return stored?.seedId === seedId
      ? Result.succeed(stored.accountKey)
      : Result.fail("no account of its seed is known")
  if ("_tag" in ruling) return Result.fail(ruling.message)
  const unusable = chainsObjection(ruling)
  if (unusable !== undefined) return Result.fail(unusable)
  const found = granted(ruling.tenant, "issuing_account", `${family}|${seedId}`)?.values
  if (found === undefined) return Result.fail("the account of its seed is in no grant")
  return found.state === "ACTIVE"
    ? Result.succeed(found.account_key)
    : Result.fail("the grant of its account was revoked")
}

/** What issuing is judged by. */
export type IssuingObjection =
  | { readonly _tag: "NotGranted"; readonly reason: string }
  /** The rows say otherwise than the grants: somebody has written them, or the chain. */
  | { readonly _tag: "Forged"; readonly reason: string }

/** Why nothing may be issued from an account; undefined where it may, and where rows decide. Only the account that was granted last issues. */
export const issuingObjection = (
  ruling: Ruling,
  family: KeyFamily,
  { accountKey, seedId }: Account
): IssuingObjection | undefined => {
  if (ruling === undefined) return undefined
  if ("_tag" in ruling) return { _tag: "Forged", reason: ruling.message }
  const unusable = chainsObjection(ruling)
  if (unusable !== undefined) return { _tag: "NotGranted", reason: unusable }
  const newest = grantedAccountKey(ruling.tenant, family)
  if (newest === undefined)
    return { _tag: "NotGranted", reason: `no account of the family ${family} is granted to issue addresses from` }
  return newest.seed_id === seedId && newest.account_key === accountKey
    ? undefined
    : { _tag: "Forged", reason: `the account of the family ${family} is not the one that is granted` }
}

/** Whether a partner may be shown a wallet, to fund it: one that is granted, or any where rows decide. */
export const isGrantedWallet = (
  ruling: Ruling,
  { address, network }: Pick<PayoutWallet, "address" | "network">
): boolean =>
  ruling === undefined ||
  (!("_tag" in ruling) &&
    chainsObjection(ruling) === undefined &&
    activeWallets(ruling.tenant, network).some((one) => one.address === address && one.role === "PAYOUT"))
