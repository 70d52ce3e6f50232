import type { SignedRequest as Signed } from "@bursar/api/operator/OperatorOperation"
import { printableLines } from "@bursar/api/wire/printable"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Facts } from "../../ui/Facts.tsx"

/** The request that a partner signed, to the letter: what the process that pays goes by. */
export const SignedRequest = ({ request }: { readonly request: Signed }) => (
  <Card title="Signed request">
    <Facts
      of={[
        ["Key", <Copied text={request.keyid} />],
        ["Signature", <Copied text={request.signature} />]
      ]}
    />
    <h3>What was signed</h3>
    <pre className="mono">{printableLines(request.signature_base)}</pre>
    <h3>Its body</h3>
    {request.body === null ? (
      <p className="muted">
        Requests of this kind can name people, so it is not shown. Its digest is in what was signed.
      </p>
    ) : (
      <pre className="mono">{printableLines(request.body)}</pre>
    )}
  </Card>
)
