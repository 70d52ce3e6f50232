import type { OperatorApprovers, OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import { printable } from "@bursar/api/wire/printable"
import { Effect } from "effect"
import { Link } from "wouter"
import { approvalByPasskey } from "../api/passkeys.ts"
import type { Api } from "../api/client.ts"
import { useRead, useReads } from "../api/hooks.ts"
import { Action } from "../ui/Action.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Failed, Notice } from "../ui/Notice.tsx"
import { problemOf } from "../api/problem.ts"
import { listMax } from "../ui/listMax.ts"
import { More } from "../ui/More.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { Approvers } from "./Approvers.tsx"
import { AboutGrant, Whose } from "./approvals/AboutGrant.tsx"
import { GrantMeaning } from "./approvals/GrantMeaning.tsx"
import { Outdated } from "./approvals/Outdated.tsx"
import { reviewColumns } from "./operation/reviewColumns.tsx"

type People = typeof OperatorApprovers.Type

const hasPasskeys = ({ approvers, relying_party: party }: People) =>
  party !== null && approvers.some(({ keys }) => keys.some(({ type }) => type === "passkey"))

/** The text that is signed, for who wants to read all of it. */
const Document = ({ document }: { readonly document: string }) => (
  <details>
    <summary>The document that is signed</summary>
    <pre className="mono">{printable(document)}</pre>
  </details>
)

interface Proposed {
  readonly people: People
  readonly proposal: OperatorGrantProposal
  /** What people call the chain. */
  readonly title: string
}

const Proposal = ({ people, proposal, title }: Proposed) => {
  const { approvals, approvals_needed: needed, chain, expires_at: expires, hash, id, kind, note, subject } = proposal
  const params = { chain, proposal_id: id }
  return (
    <Card title={`${kind}: ${subject}`}>
      <div className="stack">
        <p>
          <Foreign text={note} /> Proposed by {proposal.proposed_by}, <Time at={proposal.proposed_at} />. It expires{" "}
          <Time at={expires} />.
        </p>
        <Whose proposal={proposal} title={title} />
        <GrantMeaning proposal={proposal} />
        <p>
          <Badge>{`${approvals.length} of ${needed ?? "?"} approvals`}</Badge>{" "}
          {approvals.map(({ person }) => person).join(", ")}
        </p>
        <p className="muted">
          {hasPasskeys(people) ? "With a key file, approve" : "Approve"} it on your own machine, which verifies the
          chain and shows you the same values:{" "}
          <span className="mono">
            bursar grant approve {chain} {id}
          </span>
          . Its hash is <span className="mono">{hash}</span>.
        </p>
        <Document document={proposal.document} />
        <div className="actions">
          {hasPasskeys(people) ? (
            <Action
              label="Approve"
              tone="primary"
              preview={
                <div className="stack">
                  <AboutGrant proposal={proposal} title={title} />
                  <span>
                    Your passkey signs this document.{" "}
                    {approvals.length + 1 < (needed ?? Infinity)
                      ? "It takes others, too, before it holds."
                      : "Yours is the last approval that it takes: it holds at once."}
                  </span>
                </div>
              }
              hotkey="a"
              does="grants.approve"
              waits
              act={(_answers, _key, cancelled) => (ask) =>
                Effect.flatMap(approvalByPasskey(people, proposal, cancelled), (approval) =>
                  ask({ params, payload: { approval } })
                )
              }
            />
          ) : null}
          <Action
            label="Reject"
            tone="danger"
            preview={
              <div className="stack">
                <AboutGrant proposal={proposal} title={title} />
                <span>Nobody can approve it any more. Nothing changes.</span>
              </div>
            }
            ask={[{ name: "reason", label: "Reason", kind: "text" }]}
            does="grants.reject"
            act={({ reason = "" }) =>
              (ask) =>
                ask({ params, payload: { reason } })
              }
          />
        </div>
      </div>
    </Card>
  )
}

/** The open proposals of every chain, each chain under the name that people have for it; then those that are outdated. */
const Grants = ({ people }: { readonly people: People }) => {
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  const chains = [
    { chain: "fleet", title: "the service" },
    ...(tenants.data?.tenants ?? []).map(({ id, slug }) => ({ chain: id, title: slug }))
  ]
  const lists = useReads(
    chains.map(({ chain }) => ({
      key: ["grants", chain],
      ask: (api: Api) => api.grants.list({ params: { chain } })
    }))
  )
  const open = chains.map((chain, index) => ({
    ...chain,
    error: lists[index]?.error ?? null,
    isPending: lists[index]?.isPending ?? true,
    proposals: lists[index]?.data?.proposals.filter(({ state }) => state === "OPEN") ?? [],
    outdated: lists[index]?.data?.proposals.filter(({ state }) => state === "OUTDATED") ?? []
  }))
  // what is there stays while another list is read, with whatever is open in it
  const isLoading = tenants.isPending || open.some(({ isPending }) => isPending)
  return (
    <>
      {isLoading ? <p className="muted">Loading …</p> : null}
      {tenants.error === null ? null : <Failed error={tenants.error} />}
      {!isLoading &&
      tenants.error === null &&
      open.every(({ error, proposals }) => error === null && proposals.length === 0) ? (
        <p className="muted">No grant waits for an approval.</p>
      ) : null}
      {open.map(({ chain, error, proposals, title }) =>
        error === null && proposals.length === 0 ? null : (
          <section key={chain} aria-label={`Grants of ${title}`} className="stack">
            {error === null ? null : <Failed error={error} />}
            {proposals.map((proposal) => (
              <Proposal key={proposal.id} people={people} proposal={proposal} title={title} />
            ))}
          </section>
        )
      )}
      <Outdated all={open.flatMap(({ outdated, title }) => outdated.map((proposal) => ({ proposal, title })))} />
    </>
  )
}

/** What waits for people to agree: reviews of operations, and grants. */
export const Approvals = () => {
  const reviews = useRead(["home", "reviews"], (api) =>
    api.operations.list({ query: { status: "IN_REVIEW", limit: listMax } })
  )
  const approvers = useRead(["approvers"], (api) => api.grants.approvers())
  return (
    <>
      <h1>Approvals</h1>
      <Card title="Reviews">
        {approvers.error === null ? (
          <p className="muted">
            Open one to approve or reject it. To approve it takes a grant, which you propose there.
          </p>
        ) : null}
        <Loaded of={reviews}>
          {({ operations }) => (
            <>
              <Rows
                label="Reviews"
                rows={operations}
                columns={reviewColumns}
                keyOf={({ id }) => id}
                empty="Nothing waits for a review."
              />
              <More count={operations.length}>
                <Link href="/operations?status=IN_REVIEW">All reviews</Link>
              </More>
            </>
          )}
        </Loaded>
      </Card>
      <h2>Grants</h2>
      {approvers.error === null ? null : <Notice>{problemOf(approvers.error).message}</Notice>}
      {approvers.data === undefined ? null : (
        <>
          <Grants people={approvers.data} />
          <Approvers people={approvers.data} />
        </>
      )}
    </>
  )
}
