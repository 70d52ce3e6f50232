import { Context } from "effect"

/** The roles of an operator, each holding the rights of those before it. */
export const operatorRoles = ["viewer", "operator", "approver", "admin"] as const
/** The role of an operator. */
export type OperatorRole = (typeof operatorRoles)[number]

/** Whether a role holds the rights of another. */
export const holdsRole = (role: OperatorRole, needed: OperatorRole): boolean =>
  operatorRoles.indexOf(role) >= operatorRoles.indexOf(needed)

/** The form of an operator's name. Names differ by more than the case of their letters. */
export const operatorNamePattern = /^[a-z0-9][a-z0-9._@-]{0,63}$/u

/** The name of whoever uses the token that operators share and gives no other. */
export const sharedOperatorName = "operator"

/** How an operator proved who it is: by a token of its own, by the one that operators share, or at the identity provider. */
export const operatorCredentials = ["token", "shared_token", "openid_connect"] as const
/** How an operator proved who it is. */
export type OperatorCredential = (typeof operatorCredentials)[number]

/** Who acts on the operator side; every action is audited under this name. */
export class Operator extends Context.Service<
  Operator,
  {
    readonly name: string
    readonly role: OperatorRole
    readonly credential: OperatorCredential
    /** Unix milliseconds from which the credential is refused; null where it does not expire. */
    readonly expiresAt: number | null
  }
>()("@bursar/api/Operator") {}
