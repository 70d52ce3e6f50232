import type { OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import { Foreign } from "../../ui/Foreign.tsx"
import { Rows } from "../../ui/Rows.tsx"

interface Shown {
  readonly proposal: OperatorGrantProposal
}

const nothing = ({ changes, repeats }: OperatorGrantProposal): string => {
  if (changes === null) return "What it changes cannot be told: its chain does not hold."
  return repeats ? "Nothing was lowered so far." : "It changes nothing."
}

interface Changes {
  readonly label: string
  readonly changes: NonNullable<OperatorGrantProposal["changes"]>
  readonly empty: string
}

/** What becomes of what, value by value. */
const Diff = ({ changes, empty, label }: Changes) => (
  <Rows
    label={label}
    rows={changes}
    keyOf={({ path }) => path}
    empty={empty}
    columns={[
      { title: "Value", of: ({ path }) => <span className="mono">{path}</span> },
      { title: "Now", kind: "wrap", of: ({ from }) => <Foreign text={from ?? "–"} /> },
      {
        title: "Then",
        kind: "wrap",
        of: ({ to }) => (
          <strong>
            <Foreign text={to ?? "–"} />
          </strong>
        )
      }
    ]}
  />
)

type Confirmed = NonNullable<OperatorGrantProposal["confirms"]>[number]

const approvers = ({ approved_by: people }: Confirmed): string =>
  people.map(({ counts, person }) => (counts ? person : `${person} (removed)`)).join(", ")

/** The grants that an adoption confirms: this look alone stands between a removed key and the money. */
const Confirms = ({ confirms }: { readonly confirms: ReadonlyArray<Confirmed> }) => (
  <>
    <p>It confirms these grants, which removed keys could have added at any time. Revoke what is not yours first.</p>
    <Rows
      label="Confirms"
      rows={confirms}
      keyOf={({ number }) => String(number)}
      empty="It confirms no grant that a removed key could have added."
      columns={[
        { title: "Number", of: ({ number }) => number },
        { title: "Grant", kind: "wrap", of: ({ kind, subject }) => <Foreign text={`${kind} ${subject}`} /> },
        { title: "Approved by", kind: "wrap", of: (one) => <strong>{approvers(one)}</strong> },
        {
          title: "Says",
          kind: "wrap",
          of: ({ values }) =>
            values.map(({ path, to }) => (
              <div key={path}>
                <Foreign text={`${path}: ${to ?? "–"}`} />
              </div>
            ))
        }
      ]}
    />
  </>
)

/** What approving a proposal does: the values that it changes, what it puts back, or the grants that it confirms. */
export const GrantMeaning = ({ proposal }: Shown) =>
  proposal.confirms === null ? (
    <>
      {proposal.repeats ? (
        <p>It says again what holds. It puts back whatever operators have lowered without a grant:</p>
      ) : null}
      <Diff label="Changes" changes={proposal.changes ?? []} empty={nothing(proposal)} />
      {proposal.in_force === null ? null : (
        <>
          <p>
            That is what the grants say. Operators have lowered some of it since without a grant. What holds becomes:
          </p>
          <Diff label="What holds" changes={proposal.in_force} empty="What holds stays as it is." />
        </>
      )}
    </>
  ) : (
    <Confirms confirms={proposal.confirms} />
  )
