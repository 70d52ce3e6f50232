/** What a person is asked before an action, each by its name in the form. */
export interface Asked {
  readonly name: string
  readonly label: string
  readonly kind?: "line" | "text"
  readonly optional?: boolean
  /** What there is to choose from. */
  readonly options?: ReadonlyArray<string>
  /** What stands there at first. */
  readonly initial?: string
}

/** One question of a form. */
export const Question = ({ asked }: { readonly asked: Asked }) => {
  const { initial = "", kind = "line", label, name, optional = false, options } = asked
  const field = { name, required: !optional, defaultValue: initial }
  return (
    <label>
      {label}
      <div>
        {options !== undefined ? (
          <select {...field}>
            {(optional ? ["", ...options] : options).map((option) => (
              <option key={option}>{option}</option>
            ))}
          </select>
        ) : kind === "text" ? (
          <textarea {...field} />
        ) : (
          <input {...field} autoComplete="off" />
        )}
      </div>
    </label>
  )
}
