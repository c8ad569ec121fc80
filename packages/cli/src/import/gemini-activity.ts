/** One activity of Gemini Apps, as read from JSON or HTML. */
export interface Activity {
  /** With the word that Google puts before a prompt. */
  readonly title: string
  readonly answer: string
  readonly time: unknown
  /** Id of the conversation; empty if no link names one. */
  readonly conversation: string
}

export function conversationIn(link: string): string {
  return /^https:\/\/(?:gemini|bard)\.google\.com\/(?:u\/\d+\/)?(?:app|chat)\/([\w-]{1,100})/.exec(link)?.[1] ?? ''
}
