"""What tests share: repositories, planning sets, running the command line."""
