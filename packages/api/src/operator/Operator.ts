import { Context } from "effect"

/** The roles of an operator, each holding the rights of those before it. */
export const operatorRoles = ["viewer", "operator", "approver", "admin"] as const
/** The role of an operator. */
export type OperatorRole = (typeof operatorRoles)[number]

/** Who acts on the operator side; every action is audited under this name. */
export class Operator extends Context.Service<
  Operator,
  {
    readonly name: string
    readonly role: OperatorRole
  }
>()("@bursar/api/Operator") {}
