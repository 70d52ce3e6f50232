import type { OperatorOperationDetail } from "@bursar/api/operator/OperatorOperation"
import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { Amount } from "../ui/Amount.tsx"
import { Card } from "../ui/Card.tsx"
import { Copied } from "../ui/Copied.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { OnChain } from "../ui/OnChain.tsx"
import { Rows } from "../ui/Rows.tsx"
import { shortened } from "../ui/shortened.ts"
import { State } from "../ui/State.tsx"
import { Time } from "../ui/Time.tsx"
import { Titled } from "../ui/Titled.tsx"
import { OperationActions } from "./OperationActions.tsx"
import { Resolutions } from "./Resolutions.tsx"
import { kindName } from "./kindName.ts"
import { ProviderCalls } from "./operation/ProviderCalls.tsx"
import { SignedRequest } from "./operation/SignedRequest.tsx"
import { Told } from "./operation/Told.tsx"
import { receiverFacts } from "./operation/receiverFacts.tsx"

const known = (text: string | null) => (text === null ? null : <Copied text={text} />)

const onChain = (network: string | null, hash: string | null, short = false) =>
  hash === null ? null : <OnChain network={network} what="transaction" text={hash} short={short} />

/** A reference, with the way to all operations that have it. */
const related = (text: string | null) =>
  text === null ? null : (
    <>
      <Copied text={text} /> <Link href={`/search?text=${encodeURIComponent(text)}`}>find all with it</Link>
    </>
  )

const money = (amount: OperatorOperationDetail["network_fee"]) => (amount === null ? null : <Amount money={amount} />)

const Needs = ({ operation }: { readonly operation: OperatorOperationDetail }) => (
  <>
    {operation.unresolved ? (
      <Notice tone="bad">
        The outcome is not known; the hold stays.{" "}
        <Foreign text={operation.unresolved_because ?? operation.problem ?? ""} />
      </Notice>
    ) : null}
    {operation.contradiction === null ? null : (
      <Notice tone="bad">
        Something else than what is booked is said of it now: <Foreign text={operation.contradiction.said} />
      </Notice>
    )}
    {operation.waits === null ? null : (
      <Notice>
        It waits since <Time at={operation.waits.since} />: <Foreign text={operation.waits.detail} />
      </Notice>
    )}
  </>
)

const Parts = ({ operation }: { readonly operation: OperatorOperationDetail }) => (
  <>
    <Card title="What happened">
      <ol className="timeline">
        {operation.timeline.map(({ at, by, detail, what }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the timeline only grows, and its entries have no id
          <li key={index}>
            <Time at={at} /> · <strong>{what}</strong>
            {by === null ? null : (
              <>
                {" by "}
                <Foreign text={by} />
              </>
            )}
            {detail === null ? null : (
              <div className="muted">
                <Foreign text={detail} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </Card>
    <Card title="Ledger entries">
      <Rows
        label="Ledger entries"
        rows={operation.legs.map((leg, index) => ({ ...leg, index }))}
        keyOf={({ index }) => `${index}`}
        empty="Nothing is booked."
        columns={[
          { title: "Booked", of: ({ posted_at: at }) => <Time at={at} /> },
          { title: "Account", of: ({ account }) => <span className="mono">{account}</span> },
          { title: "What", of: ({ what }) => what },
          { title: "Side", of: ({ direction }) => direction },
          { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> }
        ]}
      />
    </Card>
    <Card title="Transactions">
      <Rows
        label="Transactions"
        rows={operation.attempts}
        keyOf={({ hash }) => hash}
        empty="Nothing was signed for it."
        columns={[
          { title: "Hash", of: ({ hash }) => onChain(operation.network, hash, true) },
          { title: "Signed", of: ({ signed_at: at }) => <Time at={at} /> },
          { title: "Sent", of: ({ sent_at: at }) => <Time at={at} /> },
          { title: "Outcome", of: ({ transaction_outcome: outcome }) => outcome ?? "open" }
        ]}
      />
    </Card>
    <Card title="Evidence">
      <Rows
        label="Evidence"
        rows={operation.evidence.map((one, index) => ({ ...one, index }))}
        keyOf={({ index }) => `${index}`}
        empty="Nobody has added any."
        columns={[
          { title: "Added", of: ({ given_at: at }) => <Time at={at} /> },
          { title: "By", of: ({ given_by: by }) => by },
          { title: "Note", kind: "wrap", of: ({ note }) => <Foreign text={note} /> },
          { title: "Transaction", of: ({ tx_hash: hash }) => onChain(operation.network, hash, true) },
          {
            title: "The chain says",
            kind: "wrap",
            of: ({ found, verdict }) => [verdict, found].filter(Boolean).join(" ")
          }
        ]}
      />
    </Card>
    {operation.provider === null ? null : <ProviderCalls operation={operation} />}
    <Told operation={operation} />
    {operation.signed_request === null ? null : <SignedRequest request={operation.signed_request} />}
  </>
)

/** All that is known of one operation, and what can be done about it. */
export const Operation = ({ id, tenant }: { readonly tenant: string; readonly id: string }) => {
  const found = useRead(["operation", tenant, id], (api) =>
    api.operations.get({ params: { tenant_id: tenant, operation_id: id } })
  )
  return (
    <Loaded of={found}>
      {(operation) => (
        <>
          <Titled subject={`${kindName(operation.kind)} ${shortened(id)}`} />
          <div className="head">
            <h1>
              {operation.kind} <Amount money={operation.amount} />
            </h1>
            <State {...operation} />
          </div>
          <Needs operation={operation} />
          <OperationActions operation={operation} />
          <Resolutions operation={operation} />
          <Card title="Facts">
            <Facts
              of={[
                ["Id", known(operation.id)],
                ["Tenant", <Link href={`/tenants/${operation.tenant_id}`}>{operation.tenant}</Link>],
                ["Accepted", <Time at={operation.created_at} />],
                ["Sent", operation.sent_at === null ? null : <Time at={operation.sent_at} />],
                ["Settled", operation.settled_at === null ? null : <Time at={operation.settled_at} />],
                ...receiverFacts(operation),
                ["Fee", money(operation.customer_fee)],
                ["Network fee", money(operation.network_fee)],
                ["Received", money(operation.to_amount)],
                ["Quoted", money(operation.to_amount_quoted)],
                ["Network", operation.network],
                ["Transaction", onChain(operation.network, operation.tx_hash)],
                ["Provider", operation.provider],
                ["Provider's reference", related(operation.provider_reference)],
                ["Partner's reference", related(operation.partner_reference)],
                ["Customer", known(operation.customer_id)],
                ["Review", operation.review],
                ["Phase", operation.phase],
                ["Problem", operation.problem],
                ["Failed because", operation.failure_reason]
              ]}
            />
          </Card>
          <Parts operation={operation} />
        </>
      )}
    </Loaded>
  )
}
