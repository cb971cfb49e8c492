"""The prompt for goals: lines with history and completion, answers one by one."""
