/** An operator's saved filter of a list: the query of its page's address. */
export type SavedFilterTable = {
  operator: string;
  page: string;
  name: string;
  query: string;
  saved_at: Date;
};
