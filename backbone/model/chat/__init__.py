"""Chat models of any maker, by LangChain's `init_chat_model`. The only door through which LangChain enters."""
