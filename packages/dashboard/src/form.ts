/** The trimmed text of a field of the submitted form. */
export function fieldValue(event: SubmitEvent, name: string): string {
  if (!(event.currentTarget instanceof HTMLFormElement)) return ''
  const value = new FormData(event.currentTarget).get(name)
  return typeof value === 'string' ? value.trim() : ''
}

export function isChecked(event: SubmitEvent, name: string): boolean {
  return event.currentTarget instanceof HTMLFormElement && new FormData(event.currentTarget).has(name)
}

/** Undefined if the field is empty or not a number. */
export function numberValue(event: SubmitEvent, name: string): number | undefined {
  const text = fieldValue(event, name)
  const value = Number(text)
  return text === '' || Number.isNaN(value) ? undefined : value
}
