import type { OperatorOperation } from "@bursar/api/operator/OperatorOperation"
import type { ReactNode } from "react"
import { Badge } from "../../ui/Badge.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { OnChain } from "../../ui/OnChain.tsx"

const known = (text: string | null) => (text === null ? null : <Copied text={text} />)

const addressOf = ({ network, receiver }: OperatorOperation) =>
  receiver === null || network === null ? null : <OnChain network={network} what="address" text={receiver} />

/**
 * Whom an operation pays, each part under its own name: a name that reads like an account stays a name. Nothing is shortened, since two addresses
 * can begin and end alike.
 */
export const receiverFacts = (operation: OperatorOperation): ReadonlyArray<readonly [string, ReactNode]> => [
  ["Receiver", operation.receiver_name === null ? null : <Foreign text={operation.receiver_name} />],
  ["Address", addressOf(operation)],
  ["Account", operation.network === null ? known(operation.receiver) : null],
  ["Bank code", known(operation.receiver_bank)],
  ["Memo", known(operation.memo)],
  [
    "New receiver",
    operation.new_receiver ? (
      <>
        <Badge tone="warn">new</Badge> {operation.tenant} has never paid it before, or first did so less than 24 hours
        earlier.
      </>
    ) : null
  ]
]
